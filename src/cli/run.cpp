#include "cli/run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "activate/render.hpp"
#include "cli/help.hpp"
#include "cli/progress_plain.hpp"
#include "cli/progress_terminal.hpp"
#include "cli/report.hpp"
#include "cli/usage.hpp"
#include "commands/calling_shell.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"
#include "sys/process.hpp"
#include "sys/signals.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::cli {
namespace {

constexpr const char* description =
    "CUDA toolkits side by side, each proven to work: install, switch, verify.";
constexpr const char* footer =
    "Exit status: 0 done, 1 failed, 2 wrong usage, 3 a check found something,\n"
    "77 skipped, 130/143 interrupted. Every CUDAENV_* variable: `cudaenv env`.\n"
    "Manual: `man cudaenv`.";

// A file that is opened while a standard stream is closed takes the stream's number, and what is
// said later would be written into it. So each number is held by something that takes no byte.
void hold_standard_streams() {
  for (auto fd = sys::open_read("/"); fd.get() <= STDERR_FILENO; fd = sys::open_read("/")) {
    static_cast<void>(fd.release());
  }
}

// Options before the command that concern how cudaenv talks.
bool is_global_flag(const std::string& argument) {
  return argument == "-q" || argument == "--quiet" || argument == "--no-progress";
}

// What `list` answers without asking a source.
bool is_local_list_option(const std::string& argument) {
  return is_global_flag(argument) || argument == "-s" || argument == "--size" ||
         argument == "--json";
}

bool has_flag(const std::vector<std::string>& arguments, std::initializer_list<const char*> names) {
  for (const auto& argument : arguments) {
    if (argument == "--") return false;
    for (const char* name : names) {
      if (argument == name) return true;
    }
  }
  return false;
}

std::unique_ptr<Progress> make_progress(const sys::Environment& environment,
                                        const std::vector<std::string>& arguments, bool quiet,
                                        const Style& style) {
  const bool screen = !quiet && sys::is_terminal(STDERR_FILENO) &&
                      environment.get("TERM").value_or("dumb") != "dumb" &&
                      !environment.is_on("CUDAENV_NO_PROGRESS") &&
                      !has_flag(arguments, {"--no-progress"});
  if (screen) return std::make_unique<TerminalProgress>(style);
  return std::make_unique<PlainProgress>(quiet);
}

int report(const Error& error, const Style& style) {
  sys::write_stderr(rendered(error, style));
  return exit_status(error);
}

// Lines that are longer than a page of a book are hard to read.
unsigned help_width() {
  return std::clamp(sys::is_terminal(STDOUT_FILENO) ? sys::terminal_width(STDOUT_FILENO) : 80u, 60u,
                    100u);
}

void declare(CLI::App& app, Session& session, const std::vector<Command>& commands) {
  app.formatter(help_formatter(help_width));  // the commands' too
  app.require_subcommand(1);
  app.set_version_flag("--version,-V", fmt::format("cudaenv {}", version_text),
                       "Print the version");
  app.set_help_flag("--help,-h", "Show this help");
  app.add_flag("--quiet,-q", session.quiet, "Say nothing but errors and notes (CUDAENV_QUIET)");
  app.add_flag_callback(
      "--no-progress", [] {},  // read before parsing, where the display is made
      "Plain lines instead of a progress display (CUDAENV_NO_PROGRESS)");
  app.footer(footer);
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->group(std::string(command.group));
    // `cudaenv install -q 12.1` is as good as `cudaenv -q install 12.1`.
    sub->fallthrough();
    command.declare(*sub, session);
  }
}

std::vector<std::string>::const_iterator command_word(const std::vector<std::string>& arguments) {
  return std::find_if(arguments.begin(), arguments.end(),
                      [](const std::string& text) { return !is_global_flag(text); });
}

// Where the command of `exec [SPEC] [--] CMD...` begins. Without a spec it has to follow `--`.
std::vector<std::string>::const_iterator after_spec(std::vector<std::string>::const_iterator word,
                                                    std::vector<std::string>::const_iterator end) {
  auto at = word + 1;
  while (at != end && *at != "--" && at->starts_with('-')) {
    at += *at == "--with" && at + 1 != end ? 2 : 1;
  }
  return at != end && *at != "--" ? at + 1 : at;
}

// What follows the spec of `exec`, or `--` of `diagnose -- CMD...` and `explain -- CMD...`, is the
// command's, options and all. Moved out of the way of the parser.
std::vector<std::string> take_command(std::vector<std::string>& arguments) {
  const auto word = command_word(arguments);
  if (word == arguments.cend()) return {};
  auto end = arguments.cend();
  if (*word == "exec") end = after_spec(word, end);
  if (*word == "diagnose" || *word == "explain") end = std::find(word, end, "--");
  std::vector<std::string> command(end, arguments.cend());
  arguments.erase(end, arguments.cend());
  if (!command.empty() && command.front() == "--") command.erase(command.begin());
  return command;
}

Command::Kind kind_of(const std::vector<std::string>& arguments,
                      const std::vector<Command>& commands) {
  const auto word = command_word(arguments);
  const auto known = std::find_if(commands.begin(), commands.end(), [&](const Command& command) {
    return word != arguments.end() && command.name == *word;
  });
  return known == commands.end() ? Command::Kind::plain : known->kind;
}

// What the shell gets of a command whose output it evaluates, when that failed.
void print_refusal(const std::vector<std::string>& arguments, const Session& session) {
  if (sys::is_terminal(STDOUT_FILENO)) return;
  std::string named;
  for (auto it = command_word(arguments); it != arguments.end(); ++it) {
    if (it->starts_with("--format")) return;
    if (it->starts_with("--shell=")) named = it->substr(8);
    if (*it == "--shell" && it + 1 != arguments.end()) named = *(it + 1);
  }
  session.print(activate::refusal(commands::guessed_shell(named, session.host)));
  std::fflush(stdout);
}

int parse_and_act(const std::vector<std::string>& arguments, const std::vector<Command>& commands,
                  Session& session) {
  CLI::App app(description, "cudaenv");
  declare(app, session, commands);
  try {
    auto reversed = arguments;
    std::reverse(reversed.begin(), reversed.end());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    session.print(chosen.empty() ? app.help() : chosen.front()->help("cudaenv"));
    return Exit::done;
  } catch (const CLI::CallForVersion&) {
    session.print(fmt::format("cudaenv {}\n", version_text));
    return Exit::done;
  } catch (const CLI::ParseError& error) {
    return report(usage_error(error, app, arguments, commands), session.err);
  }
  return session.action ? session.action() : static_cast<int>(Exit::wrong_usage);
}

// The configuration; its fault, if it has one. To tell of itself the program needs none.
std::optional<Error> read_into(Config& config, const sys::Environment& environment,
                               const std::vector<std::string>& arguments) {
  auto ours = arguments;
  take_command(ours);
  if (has_flag(ours, {"--help", "-h", "--version", "-V"})) return std::nullopt;
  try {
    config = read_config(config_files(environment), environment);
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

// Parses, runs, and says what went wrong.
int attempt(const std::vector<std::string>& arguments, const std::vector<Command>& commands,
            Session& session) {
  auto& progress = session.host.progress;
  try {
    if (kind_of(arguments, commands) != Command::Kind::unasked) {
      for (const auto& line : session.config.odd) session.note(line);
    }
    auto ours = arguments;
    session.command = take_command(ours);
    const int status = parse_and_act(ours, commands, session);
    if (std::fflush(stdout) != 0 && errno != EPIPE) {
      throw Error(ErrorKind::system, "cannot write to standard output");
    }
    progress.job_end();
    return status;
  } catch (const Error& error) {
    progress.job_end();
    return report(error, session.err);
  } catch (const Interrupted& interrupted) {
    progress.job_end();
    sys::write_stderr("interrupted\n");
    return 128 + interrupted.signal();
  } catch (const std::bad_alloc&) {
    progress.job_end();
    return report(Error(ErrorKind::system, "there is not enough memory"), session.err);
  }
}

}  // namespace

int run(const std::vector<std::string>& arguments, const std::vector<Command>& commands,
        const MakeDownloader& make_downloader) {
  hold_standard_streams();
  const auto own = sys::Environment::of_process();
  Config config;
  auto fault = read_into(config, own, arguments);
  const auto environment = with_config(own, config);
  const sys::SignalInterrupt interrupt;
  const Style err = Style::for_stream(STDERR_FILENO, environment);
  const bool quiet = environment.is_on("CUDAENV_QUIET") || has_flag(arguments, {"-q", "--quiet"});
  const auto progress = make_progress(environment, arguments, quiet, err);
  const commands::Host host{environment,     interrupt,
                            *progress,       version_text,
                            make_downloader, sys::working_directory(environment.get("PWD"))};
  Session session{host,
                  Style::for_stream(STDOUT_FILENO, environment),
                  err,
                  quiet,
                  std::move(config),
                  std::move(fault),
                  {},
                  {}};
  const auto kind = kind_of(arguments, commands);
  const bool goes_on = !session.fault || kind == Command::Kind::unasked;
  const int status =
      goes_on ? attempt(arguments, commands, session) : report(*session.fault, session.err);
  if (status != Exit::done && kind == Command::Kind::evaluated) print_refusal(arguments, session);
  return status;
}

bool needs_full(const std::vector<std::string>& all) {
  auto arguments = all;
  take_command(arguments);
  if (has_flag(arguments, {"--help", "-h"})) return true;
  const auto word = command_word(arguments);
  if (word == arguments.cend()) return true;
  if (*word == "--version" || *word == "-V") return false;
  if (*word == "list") return !std::all_of(word + 1, arguments.cend(), is_local_list_option);
  const auto& light = light_commands();
  return std::none_of(light.begin(), light.end(),
                      [&](const Command& command) { return command.name == *word; });
}

int become_full(const std::vector<std::string>& arguments) {
  const auto environment = sys::Environment::of_process();
  const Style err = Style::for_stream(STDERR_FILENO, environment);
  try {
    const auto here = sys::own_program().parent_path();
    const std::filesystem::path places[] = {here / "cudaenv-full",
                                            here / "../libexec/cudaenv/cudaenv-full"};
    for (const auto& place : places) {
      if (!sys::exists(place)) continue;
      std::vector<std::string> words{place.string()};
      words.insert(words.end(), arguments.begin(), arguments.end());
      sys::replace_process(words, environment.variables());
    }
    throw Error(ErrorKind::missing, "the installation of cudaenv is not complete")
        .because(fmt::format("`{}` is missing", places[1].lexically_normal().string()))
        .help("install cudaenv again");
  } catch (const Error& error) {
    return report(error, err);
  }
}

}  // namespace cudaenv::cli
