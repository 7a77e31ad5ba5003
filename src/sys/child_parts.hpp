#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/interrupt.hpp"
#include "sys/fd.hpp"

// What run() and run_in_child() have in common: pipes to a child process and its end.
namespace cudaenv::sys {

namespace fs = std::filesystem;

struct Pipe {
  Fd read;
  Fd write;
};

using Variables = std::map<std::string, std::string, std::less<>>;

// What execve takes; null at the end. `strings` has to outlive it.
std::vector<char*> pointers(std::vector<std::string>& strings);
std::vector<std::string> as_strings(const Variables& variables);
// The file of a command: itself where it has a slash, else found in PATH of `variables`; empty
// where there is none.
fs::path program_path(const std::string& name, const Variables& variables);

// Both ends close on exec and lie above the standard streams, which a child's are put over.
Pipe make_pipe();
// The descriptor, or a copy above the standard streams: where our own are closed, a new one may
// be one of 0, 1, 2.
Fd above_streams(Fd fd);

// What a child between fork and exec reports through the other end of this pipe: the errno for
// which it could not become its program; 0 where it became it.
int exec_failure(const Fd& report);

// Appends what is there to read, up to `most` bytes in all; the rest is dropped. False at the end
// of the stream.
bool drain(const Fd& fd, std::string& into, std::size_t most);

// Waits for the child until `deadline`; false when time is over or the user interrupts.
bool reap(pid_t pid, int& status, std::chrono::steady_clock::time_point deadline,
          const Interrupt& interrupt);

// Kills the child and its process group and takes its status. False where it does not die within
// two seconds: a process that waits in the kernel for a driver cannot be killed, and is left.
bool kill_and_reap(pid_t pid, int& status);

}  // namespace cudaenv::sys
