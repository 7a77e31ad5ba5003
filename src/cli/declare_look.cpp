// which, prefix, exec, env: one value or one process each.
#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "cli/declare.hpp"
#include "cli/env_vars.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"
#include "commands/locate.hpp"

namespace cudaenv::cli {
namespace {

// Fit for a log or a bug report: no login or token of a URL, also where it is written amiss.
std::optional<std::string> shown_value(const sys::Environment& environment, std::string_view name) {
  const auto value = environment.get(name);
  if (!value || name != "CUDAENV_MIRROR") {
    return value ? std::optional(without_secrets(*value)) : value;
  }
  std::string spaced = *value;
  std::replace(spaced.begin(), spaced.end(), ' ', ',');
  std::vector<std::string> mirrors;
  for (const auto mirror : text::split(spaced, ',')) {
    if (!mirror.empty()) mirrors.push_back(shown_url(mirror));
  }
  return text::join(mirrors, ",");
}
constexpr const char* without_spec =
    "The toolkit; without it the active one, else the project's, else the default";

}  // namespace

void declare_which(CLI::App& app, Session& session) {
  struct Options {
    std::string tool;
    std::string spec;
    bool all = false;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("TOOL", options->tool, "nvcc, ptxas, cuobjdump, ...")->required();
  auto* spec = app.add_option("SPEC", options->spec, without_spec);
  app.add_flag("--all,-a", options->all, "Of every installed toolkit that has it")->excludes(spec);
  app.callback([options, &session] {
    session.action = [options, &session] {
      if (!options->all) {
        session.print(commands::which(options->tool, options->spec, session.host).string() + "\n");
        return Exit::done;
      }
      for (const auto& path : commands::which_all(options->tool, session.host)) {
        session.print(path.string() + "\n");
      }
      return Exit::done;
    };
  });
}

void declare_prefix(CLI::App& app, Session& session) {
  const auto spec = std::make_shared<std::string>();
  app.add_option("SPEC", *spec, without_spec);
  app.callback([spec, &session] {
    session.action = [spec, &session] {
      session.print(commands::prefix(*spec, session.host).string() + "\n");
      return Exit::done;
    };
  });
}

void declare_exec(CLI::App& app, Session& session) {
  const auto request = std::make_shared<commands::UseRequest>();
  app.add_option("SPEC", request->spec, without_spec);
  app.add_option("--with", request->with, "A library that it has to have: cudnn@8.9")
      ->allow_extra_args(false);
  app.add_flag_callback(
      "--no-ld-path", [request] { request->ld_path = false; },
      "Leave LD_LIBRARY_PATH alone (CUDAENV_LD_PATH=0)");
  app.footer("The command follows: cudaenv exec 12.1 -- nvcc --version");
  app.callback([request, &session] {
    session.action = [request, &session]() -> int {
      if (session.command.empty()) {
        const auto spec = request->spec.empty() ? "" : text::shell_quoted(request->spec) + " ";
        throw Error(ErrorKind::usage, "no command to run was named")
            .help(fmt::format("write it after `--`: `cudaenv exec {}-- nvcc --version`", spec));
      }
      commands::exec({*request, session.command}, session.host);
    };
  });
}

void declare_env(CLI::App& app, Session& session) {
  const auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "Print JSON");
  app.callback([json, &session] {
    session.action = [json, &session] {
      const auto& environment = session.host.environment;
      if (*json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const auto& variable : env_vars) {
          const auto value = shown_value(environment, variable.name);
          list.push_back({{"name", variable.name},
                          {"value", value ? nlohmann::ordered_json(*value) : nullptr},
                          {"meaning", variable.meaning}});
        }
        session.print(list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
        return Exit::done;
      }
      std::vector<std::vector<std::string>> rows;
      for (const auto& variable : env_vars) {
        rows.push_back({session.out.bold(variable.name),
                        shown_value(environment, variable.name).value_or("-"),
                        std::string(variable.meaning)});
      }
      session.print(table(rows));
      return Exit::done;
    };
  });
}

}  // namespace cudaenv::cli
