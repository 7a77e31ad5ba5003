#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.hpp"

namespace cudaenv::sys {

struct Command {
  std::vector<std::string> arguments;  // [0] is looked up in PATH of `environment`
  // The whole environment of the child; nothing means ours.
  std::optional<std::map<std::string, std::string, std::less<>>> environment;
  std::filesystem::path directory;  // empty: ours
  std::chrono::milliseconds timeout{std::chrono::minutes(10)};
  std::string input;  // what the child reads on stdin; empty: /dev/null
};

struct Outcome {
  int status = 0;  // exit status, or 128 + signal
  int signal = 0;  // what killed it, or 0
  bool timed_out = false;
  bool not_found = false;  // no such program
  // There is such a file, and the kernel does not run it: of another machine, without its
  // interpreter, not ours to execute. The status is 126 and `err` says why.
  bool refused = false;
  std::string out;
  std::string err;

  bool ok() const { return status == 0 && !timed_out && !not_found && !refused; }
};

// Runs the command, captures what it prints (at most 64 MiB a stream), kills its process group
// when time is over or the user interrupts (then throws Interrupted). It has ended when its own
// process has, whoever it left behind with its streams.
Outcome run(const Command& command, const Interrupt& interrupt);

// Becomes the command: signals and status are its own. Returns only by an Error: not found, not
// executable. PATH is looked up in `environment`.
[[noreturn]] void replace_process(
    const std::vector<std::string>& arguments,
    const std::map<std::string, std::string, std::less<>>& environment);

// Throws the Error for a command that PATH does not have.
[[noreturn]] void no_such_command(const std::string& word);

// The first executable file of this name in the folders of a PATH value.
std::optional<std::filesystem::path> find_program(std::string_view name, std::string_view path);

// A running process: its file's name (empty where that is not ours to know), and what the kernel
// calls it, which is at most 15 bytes of the name that it was started by.
struct RunningProgram {
  std::string file;
  std::string name;
};
// The processes above this one, the nearest first, as far as they can be seen; at most eight.
std::vector<RunningProgram> programs_above();

}  // namespace cudaenv::sys
