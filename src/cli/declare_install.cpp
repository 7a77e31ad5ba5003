#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/install_run.hpp"
#include "cli/plan_print.hpp"
#include "cli/report.hpp"
#include "cli/source_options.hpp"
#include "commands/install.hpp"

namespace cudaenv::cli {
namespace {

using commands::InstallRequest;

struct Options {
  InstallRequest request;
  std::string into;  // --for: a framework, or the prefix of a lone add-on
  bool dry_run = false;
  bool check = false;
  bool accept_eula = false;
  bool no_selftest = false;
  bool json = false;
};

// What --for means: with `cudnn@9.1` where a version is expected the installed prefix that the
// library goes into, else a framework that the toolkit is chosen for.
void read_what_for(Options& options, const Session& session) {
  const std::string name = options.request.spec.substr(0, options.request.spec.find('@'));
  if (!catalog::add_on(text::lower(name))) {
    if (options.request.spec.empty() && options.into.empty()) {
      throw Error(ErrorKind::usage, "SPEC is required").help("see `cudaenv install --help`");
    }
    options.request.framework = options.into;
    return;
  }
  const auto prefix = commands::installed_prefix(session.host, options.into);
  options.request.with.insert(options.request.with.begin(), options.request.spec);
  options.request.spec = prefix.receipt.cuda.text();
  if (options.request.name.empty()) options.request.name = prefix.receipt.name;
  // The prefix stays what it is besides.
  if (options.request.profile.empty()) {
    options.request.profile = prefix.receipt.profile == "custom" ? "" : prefix.receipt.profile;
    if (options.request.profile.empty()) {
      for (const auto& component : prefix.receipt.components) {
        if (component.product == "cuda") options.request.components.push_back(component.name);
      }
    }
  }
}

int act(Options options, const Session& session) {
  read_what_for(options, session);
  auto prepared = commands::prepare_install(options.request, session.host);
  session.host.progress.job_end();
  for (const auto& note : prepared.notes) {
    if (!session.quiet) session.note(note);
  }
  if (options.dry_run) {
    session.print(options.json ? plan_json(prepared) : plan_text(prepared, session.out));
    return Exit::done;
  }
  if (options.check) {
    if (!prepared.already) session.say("not installed as asked");
    return prepared.already ? Exit::done : Exit::found_something;
  }
  return run_prepared(std::move(prepared), {options.accept_eula, !options.no_selftest}, session);
}

void add_what(CLI::App& app, Options& options) {
  auto& request = options.request;
  app.add_option("SPEC", request.spec,
                 "12, 12.1, 12.1.1, latest, auto (what suits this machine; also with --for alone), "
                 "\">=12.1,<13\", or a library such as cudnn@9.1");
  app.add_option("--profile,-p", request.profile,
                 "minimal, runtime, dev (default) or full (CUDAENV_PROFILE)");
  app.add_option("--component,-c", request.components, "Only these components, comma-separated");
  app.add_option("--without", request.without, "Leave these components out")
      ->type_name("COMPONENT");
  app.add_flag("--no-static", request.no_static, "Leave the static libraries out");
  app.add_option("--with", request.with, "A library into the same prefix: cudnn@8.9")
      ->type_name("LIBRARY");
  app.add_option("--for", options.into,
                 "The framework to choose toolkit and cuDNN for, such as pytorch==2.1; with a "
                 "library as SPEC the installed toolkit that it goes into")
      ->type_name("FRAMEWORK");
  app.add_option("--platform", request.platform,
                 "For another machine: linux-x86_64, linux-sbsa, linux-aarch64, ...");
}

void add_how(CLI::App& app, Options& options) {
  auto& request = options.request;
  app.add_option("--name", request.name, "Name of the prefix instead of cuda-<release>");
  app.add_flag("--set-default", request.set_default, "Make it the default (/usr/local/cuda)");
  app.add_flag("--force,-f", request.force,
               "Make it anew, exactly as asked; files and a default link that are not ours go");
  app.add_flag("--system", request.system, "Into /usr/local, whoever you are");
  app.add_option("--jobs,-j", request.jobs, "Unpackers at once (CUDAENV_JOBS)")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
  app.add_flag("--accept-eula", options.accept_eula,
               "NVIDIA's licence is accepted (CUDAENV_ACCEPT_EULA)");
  app.add_flag("--no-selftest", options.no_selftest,
               "Do not run kernels with it at the end where there is a GPU");
  auto* dry_run =
      app.add_flag("--dry-run,-n", options.dry_run, "Print the plan and change nothing");
  app.add_flag("--check", options.check, "Change nothing; exit 3 if it would change something");
  app.add_flag("--json", options.json, "With --dry-run: print the plan as JSON")->needs(dry_run);
}

}  // namespace

void declare_install(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  add_what(app, *options);
  add_how(app, *options);
  add_source_options(app, options->request);
  app.callback([options, &session] {
    session.action = [options, &session] { return act(*options, session); };
  });
}

}  // namespace cudaenv::cli
