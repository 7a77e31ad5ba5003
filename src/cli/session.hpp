#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/config.hpp"
#include "cli/style.hpp"
#include "commands/host.hpp"

namespace CLI {
class App;
}

namespace cudaenv::cli {

// What a command of the command line works with: set up by run(), used by its action.
struct Session {
  const commands::Host& host;
  Style out;  // for stdout
  Style err;  // for stderr
  bool quiet = false;
  // What the configuration files say; `environment` of the host has it too.
  Config config;
  // Why they cannot be read. Only commands that a shell runs by itself go on then.
  std::optional<Error> fault;
  // What the chosen command does; returns the exit status.
  std::function<int()> action;
  // The words after `exec SPEC`, `diagnose --` or `explain --`.
  std::vector<std::string> command;

  // Whether both ends of a question are a terminal.
  bool can_ask() const;
  // A question on stderr, answered by a line on stdin; an empty answer means `fallback`.
  bool ask(const std::string& question, bool fallback) const;

  void print(std::string_view text) const;  // data, to stdout
  bool flush() const;                       // false where nobody reads stdout any more
  void say(std::string_view line) const;    // talk, to stderr; not when quiet
  void note(std::string_view line) const;   // one line that matters, to stderr
};

// One command: its name, its place in the overview, and what declares its options and sets the
// session's action.
struct Command {
  std::string_view name;
  std::string_view group;
  std::string_view summary;
  void (*declare)(CLI::App& app, Session& session);
  // evaluated: its output is code for a shell. unasked: a shell runs it by itself, so that it says
  // nothing of the configuration, unless it sees to that being once.
  enum class Kind { plain, evaluated, unasked };
  Kind kind = Kind::plain;
};

}  // namespace cudaenv::cli
