// init, hook, completions: what shells run.
#include <memory>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "activate/hook.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/report.hpp"
#include "cli/shell_code.hpp"
#include "commands/hook.hpp"
#include "commands/startup_file.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"
#include "sys/process.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::cli {
namespace {

using activate::Shell;

constexpr std::string_view hook_shells = "bash, zsh, fish, tcsh, elvish, nushell or powershell";

Shell shell_or_refuse(const std::string& name) {
  // Those two are like bash, but run nothing before a prompt.
  const bool is_ksh = name.ends_with("ksh") || name.starts_with("ksh");
  const auto shell = activate::shell_named(name);
  if (shell && activate::has_hook(*shell) && !is_ksh) return *shell;
  Error error(ErrorKind::usage,
              shell ? fmt::format("`{}` runs nothing before a prompt, so it has no hook", name)
                    : fmt::format("there is no shell `{}`", text::visible(name, 60)));
  if (!shell) throw std::move(error).help(fmt::format("name {}", hook_shells));
  throw std::move(error).help("switch by hand: `eval \"$(cudaenv use 12.1)\"`");
}

// As PATH has it, so that the line outlives an update; else the file itself.
std::string program_path(const Session& session) {
  const auto own = sys::own_program();
  const auto path = session.host.environment.get("PATH").value_or("");
  const auto found = sys::find_program("cudaenv", path);
  const bool same = found && found->is_absolute() && sys::canonical(*found) == sys::canonical(own);
  return (same ? *found : own).string();
}

void say_changed(const Session& session, const commands::StartupResult& result, bool added,
                 const std::string& shell) {
  const std::string file = result.file.string();
  if (!result.changed) {
    session.say(added ? fmt::format("{} has it already", file)
                      : fmt::format("{} has nothing of cudaenv", file));
    return;
  }
  session.say(added ? fmt::format("added to {}; open a new shell, or `exec {}`", file, shell)
                    : fmt::format("taken out of {}", file));
}

}  // namespace

void declare_init(CLI::App& app, Session& session) {
  struct Options {
    std::string shell;
    bool install = false;
    bool uninstall = false;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("SHELL", options->shell, std::string(hook_shells))->required();
  auto* install =
      app.add_flag("--install", options->install, "Add it to the shell's start-up file");
  app.add_flag("--uninstall", options->uninstall, "Take it out of there")->excludes(install);
  app.footer(
      "In the start-up file: eval \"$(cudaenv init bash)\"; fish: cudaenv init fish | source");
  app.callback([options, &session] {
    session.action = [options, &session] {
      const Shell shell = shell_or_refuse(options->shell);
      const std::string program = program_path(session);
      if (options->install) {
        const auto line = startup_line(shell, program);
        say_changed(session, commands::add_to_startup(shell, line, session.host), true,
                    options->shell);
      } else if (options->uninstall) {
        say_changed(session, commands::remove_from_startup(shell, session.host), false,
                    options->shell);
      } else {
        // A reader gets it with its lines.
        session.print(sys::is_terminal(STDOUT_FILENO) ? init_script(shell, program)
                                                      : init_line(shell, program));
      }
      return Exit::done;
    };
  });
}

void declare_hook(CLI::App& app, Session& session) {
  struct Options {
    std::string shell;
    std::string state;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("SHELL", options->shell, std::string(hook_shells))->required();
  app.add_option("STATE", options->state, "What the last one printed");
  app.callback([options, &session] {
    session.action = [options, &session] {
      const Shell shell = shell_or_refuse(options->shell);
      const auto state = activate::decoded_state(options->state);
      auto result = session.fault ? commands::hook_without_configuration(state, *session.fault)
                                  : commands::hook(state, session.host);
      for (const auto& line : session.config.odd) {
        if (activate::is_news(result.state, line)) result.problems.push_back(line);
      }
      session.print(activate::hook_code(result.change, result.watch, result.state, shell));
      for (const auto& line : result.switched) session.say("cudaenv: " + line);
      for (const auto& line : result.problems) sys::write_stderr("cudaenv: " + line + "\n");
      return Exit::done;
    };
  });
}

void declare_completions(CLI::App& app, Session& session) {
  const auto name = std::make_shared<std::string>();
  app.add_option("SHELL", *name, "bash, zsh or fish")->required();
  app.footer("`cudaenv init SHELL` prints it too, with the hook.");
  app.callback([name, &session] {
    session.action = [name, &session] {
      const auto shell = activate::shell_named(*name);
      if (!shell) {
        throw Error(ErrorKind::usage, fmt::format("there is no shell `{}`", *name))
            .help("name bash, zsh or fish");
      }
      session.print(completion_script(*shell, program_path(session)));
      return Exit::done;
    };
  });
}

}  // namespace cudaenv::cli
