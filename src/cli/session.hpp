#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

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
  // What the chosen command does; returns the exit status.
  std::function<int()> action;
  // The words after `exec SPEC`.
  std::vector<std::string> command;

  // Whether both ends of a question are a terminal.
  bool can_ask() const;
  // A question on stderr, answered by a line on stdin; an empty answer means `fallback`.
  bool ask(const std::string& question, bool fallback) const;

  void print(std::string_view text) const;  // data, to stdout
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
  bool evaluated = false;  // its output is code for a shell
};

}  // namespace cudaenv::cli
