// which, prefix, exec: one value or one process each.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/report.hpp"
#include "cli/use_options.hpp"
#include "commands/locate.hpp"

namespace cudaenv::cli {
namespace {

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
  add_use_options(app, *request);
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

}  // namespace cudaenv::cli
