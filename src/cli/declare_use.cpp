// use, deactivate, current, local: what is active, and code to change it.
#include <memory>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "activate/formats.hpp"
#include "activate/render.hpp"
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"
#include "cli/use_options.hpp"
#include "commands/calling_shell.hpp"
#include "commands/local.hpp"
#include "commands/use.hpp"
#include "sys/file.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::cli {
namespace {

using Json = nlohmann::ordered_json;

struct UseOptions {
  commands::UseRequest request;
  std::string shell;
  std::string format;
  bool off = false;
};

// To the files that a job of GitHub Actions reads after each step.
void write_github(const activate::Change& change, const Session& session) {
  const auto files = activate::github(change);
  const auto env = session.host.environment.non_empty("GITHUB_ENV");
  const auto path = session.host.environment.non_empty("GITHUB_PATH");
  if (!env || !path) {
    throw Error(ErrorKind::usage, "this is no job of GitHub Actions")
        .because(fmt::format("{} is not set", env ? "GITHUB_PATH" : "GITHUB_ENV"))
        .help("other formats are `json`, `dotenv` and `docker`");
  }
  if (!files.env.empty()) sys::append(*env, files.env);
  if (!files.path.empty()) sys::append(*path, files.path);
}

void print_as(const std::string& format, const activate::Change& change, const Session& session) {
  if (format == "json") return session.print(activate::json(change));
  if (format == "gha") return write_github(change, session);
  if (format == "dotenv") return session.print(activate::dotenv(change));
  return session.print(activate::docker(change));
}

void check_format(const std::string& format) {
  const std::vector<std::string> known{"json", "gha", "dotenv", "docker"};
  for (const auto& name : known) {
    if (format == name) return;
  }
  throw with_suggestion(Error(ErrorKind::usage, fmt::format("`{}` is not a format that is known",
                                                            text::visible(format, 60))),
                        format, known, "known are: json, gha, dotenv, docker");
}

// Code on a terminal has not been evaluated.
void explain_on_terminal(const char* typed, activate::Shell shell, const Session& session) {
  if (!sys::is_terminal(STDOUT_FILENO)) return;
  const bool posix = shell == activate::Shell::bash || shell == activate::Shell::zsh ||
                     shell == activate::Shell::sh;
  if (posix) {
    session.say(fmt::format("nothing has changed yet: type `eval \"$({})\"`", typed));
  } else {
    session.say(
        fmt::format("nothing has changed yet: let the shell evaluate what `{}` prints", typed));
  }
}

int act_on_use(UseOptions options, const Session& session) {
  const auto& host = session.host;
  if (!options.format.empty()) {
    check_format(options.format);
    options.request.from_empty_environment = options.format == "docker";
    print_as(options.format,
             options.off ? activate::leave(host.environment.variables())
                         : commands::use(options.request, host).change,
             session);
    return Exit::done;
  }
  const auto shell = commands::calling_shell(options.shell, host);
  const auto change = options.off ? activate::leave(host.environment.variables())
                                  : commands::use(options.request, host).change;
  session.print(activate::render(change, shell));
  const auto spec = text::shell_quoted(options.request.spec);
  explain_on_terminal(options.off                    ? "cudaenv deactivate"
                      : options.request.spec.empty() ? "cudaenv use"
                                                     : ("cudaenv use " + spec).c_str(),
                      shell, session);
  return Exit::done;
}

void add_output_options(CLI::App& app, UseOptions& options) {
  auto* shell = app.add_option("--shell", options.shell,
                               "Code for bash, zsh, sh, fish, tcsh, nushell, powershell or elvish; "
                               "without it for the shell that calls");
  app.add_option("--format", options.format,
                 "Not code but json, gha (GitHub Actions), dotenv or docker")
      ->excludes(shell);
}

const char* word_of(commands::ChosenBy by) {
  switch (by) {
    case commands::ChosenBy::shell:
      return "shell";
    case commands::ChosenBy::project:
      return "project";
    case commands::ChosenBy::default_link:
      return "default";
    case commands::ChosenBy::spec:
      break;
  }
  return "spec";
}

Json as_json(const commands::Candidate& candidate) {
  Json json{{"chosen_by", word_of(candidate.by)}, {"where", candidate.where}};
  json["name"] = candidate.prefix ? Json(candidate.prefix->receipt.name) : nullptr;
  json["cuda"] = candidate.prefix ? Json(candidate.prefix->receipt.cuda.text()) : nullptr;
  json["path"] = candidate.prefix ? Json(candidate.prefix->path.string()) : nullptr;
  return json;
}

int show_current(bool why, bool json, const Session& session) {
  if (!why && !json) {
    // With every prompt, perhaps: no more is read than tells the first.
    const auto choice = commands::Toolkits(session.host).chosen();
    session.print(store::short_name(choice.prefix.receipt) + "\n");
    return Exit::done;
  }
  const auto candidates = commands::candidates(session.host);
  if (json) {
    Json text{{"schema", 1}};
    text.update(as_json(candidates.front()));
    Json list = Json::array();
    for (const auto& candidate : candidates) list.push_back(as_json(candidate));
    text["candidates"] = std::move(list);
    session.print(text.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    return Exit::done;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& candidate : candidates) {
    rows.push_back(
        {word_of(candidate.by),
         candidate.prefix ? store::short_name(candidate.prefix->receipt) : "(not installed)",
         text::visible(candidate.where, 400),
         candidate.prefix ? candidate.prefix->path.string() : ""});
  }
  session.print(table(rows));
  return Exit::done;
}

int act_on_local(const std::string& spec, const Session& session) {
  if (spec.empty()) {
    const auto file = commands::project_file(session.host);
    if (!file) {
      throw Error(ErrorKind::missing, "no `.cudaenv` holds here")
          .help("write one with `cudaenv local 12.1`");
    }
    session.print(file->project.cuda.text() + "\n");
    return Exit::done;
  }
  const auto result = commands::set_local(spec, session.host);
  session.say(fmt::format("`{}` {} {}", text::visible(result.file.string(), 400),
                          result.changed ? "now asks for" : "asks already for", spec));
  if (!result.installed) {
    session.note(fmt::format("that is not installed; {}",
                             commands::install_advice(text::shell_quoted(spec))));
  }
  return Exit::done;
}

}  // namespace

void declare_use(CLI::App& app, Session& session) {
  const auto options = std::make_shared<UseOptions>();
  auto* spec = app.add_option("SPEC", options->request.spec,
                              "The toolkit; without it the one that `.cudaenv` asks for");
  add_use_options(app, options->request);
  app.add_flag("--off", options->off, "Leave the active toolkit, as `deactivate` does")
      ->excludes(spec);
  add_output_options(app, *options);
  app.footer(
      "It prints code: eval \"$(cudaenv use 12.1)\"; in fish: cudaenv use 12.1 | source;\n"
      "in tcsh: eval \"`cudaenv use 12.1`\"");
  app.callback([options, &session] {
    session.action = [options, &session] { return act_on_use(*options, session); };
  });
}

void declare_deactivate(CLI::App& app, Session& session) {
  const auto options = std::make_shared<UseOptions>();
  options->off = true;
  add_output_options(app, *options);
  app.footer("It prints code: eval \"$(cudaenv deactivate)\"");
  app.callback([options, &session] {
    session.action = [options, &session] { return act_on_use(*options, session); };
  });
}

void declare_current(CLI::App& app, Session& session) {
  struct Options {
    bool why = false;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  app.add_flag("--why", options->why,
               "All that could be, what asks for it, the one that holds first");
  app.add_flag("--json", options->json, "Print JSON");
  app.callback([options, &session] {
    session.action = [options, &session] {
      return show_current(options->why, options->json, session);
    };
  });
}

void declare_local(CLI::App& app, Session& session) {
  const auto spec = std::make_shared<std::string>();
  app.add_option("SPEC", *spec,
                 "The toolkit that this folder's `.cudaenv` is to ask for; without it the one that "
                 "holds here is printed");
  app.callback([spec, &session] {
    session.action = [spec, &session] { return act_on_local(*spec, session); };
  });
}

}  // namespace cudaenv::cli
