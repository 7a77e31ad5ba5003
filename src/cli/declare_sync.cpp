// sync and lock: what the project's file asks for, installed and pinned.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/install_run.hpp"
#include "cli/report.hpp"
#include "cli/source_options.hpp"
#include "commands/sync.hpp"

namespace cudaenv::cli {
namespace {

struct SyncOptions {
  commands::SyncRequest request;
  bool check = false;
  bool accept_eula = false;
};

int act_on_sync(const SyncOptions& options, const Session& session) {
  auto result = commands::sync(options.request, options.check, session.host);
  session.host.progress.job_end();
  if (result.present) {
    session.say(fmt::format("CUDA {} is installed in {}", result.present->receipt.cuda.text(),
                            result.present->path.string()));
    return Exit::done;
  }
  if (options.check) {
    session.say(fmt::format("`{}` asks for {}: not installed so",
                            text::visible(result.file.path.string(), 400),
                            result.file.project.cuda.text()));
    return Exit::found_something;
  }
  for (const auto& note : result.todo->notes) {
    if (!session.quiet) session.note(note);
  }
  return run_prepared(std::move(*result.todo), {options.accept_eula}, session);
}

}  // namespace

void declare_sync(CLI::App& app, Session& session) {
  const auto options = std::make_shared<SyncOptions>();
  auto& install = options->request.install;
  app.add_flag("--check", options->check, "Change nothing; exit 3 if something is to be installed");
  app.add_flag("--locked", options->request.locked,
               "Exactly what .cudaenv.lock pins; an error where .cudaenv asks for something else");
  app.add_flag("--accept-eula", options->accept_eula,
               "NVIDIA's licence is accepted (CUDAENV_ACCEPT_EULA)");
  app.add_flag("--system", install.system, "Into /usr/local, whoever you are");
  app.add_option("--platform", install.platform, "For another machine: linux-sbsa, ...");
  add_source_options(app, install);
  app.callback([options, &session] {
    session.action = [options, &session] { return act_on_sync(*options, session); };
  });
}

void declare_lock(CLI::App& app, Session& session) {
  struct Options {
    commands::InstallRequest source;
    std::vector<std::string> platforms;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("--platform", options->platforms,
                 "For these only: linux-x86_64, linux-sbsa, ...; else for all that have it")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_source_options(app, options->source);
  app.callback([options, &session] {
    session.action = [options, &session] {
      const auto result = commands::lock(options->source, options->platforms, session.host);
      session.host.progress.job_end();
      std::vector<std::string> platforms;
      for (const auto& [name, archives] : result.lock.platforms) platforms.push_back(name);
      session.say(fmt::format("`{}` {} CUDA {} for {}", text::visible(result.file.string(), 400),
                              result.changed ? "now pins" : "pins already", result.lock.cuda.text(),
                              fmt::join(platforms, ", ")));
      return Exit::done;
    };
  });
}

}  // namespace cudaenv::cli
