#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/plan_print.hpp"
#include "cli/report.hpp"
#include "cli/source_options.hpp"
#include "commands/install.hpp"
#include "commands/set_default.hpp"

namespace cudaenv::cli {
namespace {

using commands::InstallRequest;
using commands::PreparedInstall;
using install::Eula;

struct Options {
  InstallRequest request;
  std::string into;  // --for: the prefix of a lone add-on
  bool dry_run = false;
  bool check = false;
  bool accept_eula = false;
  bool json = false;
};

// NVIDIA's silent installer takes its start for consent, and so does a script here; a person at a
// terminal is asked, once.
constexpr const char* licence =
    "NVIDIA's software comes under the CUDA EULA (docs.nvidia.com/cuda/eula) and, for cuDNN, its "
    "own licence.";

bool accepted_before(const Session& session) {
  const auto inventory = store::Inventory::read(commands::reading_roots(session.host));
  for (const auto& prefix : inventory.prefixes) {
    const auto& how = prefix.receipt.eula;
    if (how == "flag" || how == "variable" || how == "terminal") return true;
  }
  return false;
}

Eula accept_licence(const Options& options, const Session& session) {
  if (options.accept_eula) return Eula::flag;
  if (session.host.environment.is_on("CUDAENV_ACCEPT_EULA")) return Eula::variable;
  if (accepted_before(session)) return Eula::notice;
  if (session.can_ask()) {
    session.say(licence);
    if (session.ask("Do you accept it?", true)) return Eula::terminal;
    throw Error(ErrorKind::usage, "the licence was not accepted");
  }
  session.note(
      fmt::format("{} Installing means accepting it (--accept-eula says so without this "
                  "line).",
                  licence));
  return Eula::notice;
}

// `cudnn@9.1` where a version is expected, with --for: a library into an installed prefix.
void read_lone_add_on(Options& options, const Session& session) {
  const std::string name = options.request.spec.substr(0, options.request.spec.find('@'));
  if (!catalog::add_on(text::lower(name))) {
    if (options.into.empty()) return;
    // Says which libraries there are.
    install::AddOnRequest::parse(options.request.spec);
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

void say_result(const install::Published& published, const Session& session) {
  const auto& receipt = published.receipt;
  session.say(fmt::format("{} CUDA {} in {}",
                          session.err.green(published.replaced ? "changed" : "installed"),
                          receipt.cuda.text(), published.prefix.string()));
  if (published.shared_how == "copies") {
    session.note(
        "the filesystem has neither reflinks nor hard links between these folders: files "
        "were copied");
  }
  if (published.default_set) session.say("it is the default now");
}

// Asks on a terminal whether to take what there is; else the error with the command that does.
PreparedInstall take_alternative(PreparedInstall prepared, const Session& session) {
  if (!prepared.alternative || !session.can_ask()) throw commands::unusable_error(prepared);
  for (const auto& line : prepared.plan.unusable) session.say("  " + line);
  session.say(
      fmt::format("There is no compiler to be had, but what runs programs and frameworks: {}",
                  prepared.alternative_command));
  if (!session.ask("Install that instead?", false)) throw commands::unusable_error(prepared);
  auto other = commands::prepare_install(*prepared.alternative, session.host);
  for (const auto& note : other.notes) session.note(note);
  if (!other.plan.unusable.empty()) throw commands::unusable_error(other);
  return other;
}

int act(Options options, const Session& session) {
  read_lone_add_on(options, session);
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
  if (!prepared.plan.unusable.empty()) prepared = take_alternative(std::move(prepared), session);
  if (prepared.already) {
    session.say(fmt::format("CUDA {} is installed in {}", prepared.plan.wish.cuda.text(),
                            prepared.prefix.string()));
    const bool default_set = commands::finish_install(prepared, session.host);
    if (default_set) session.say("it is the default now");
    if (options.request.set_default && !default_set) {
      commands::set_default(
          {prepared.plan.wish.prefix, false, options.request.force, options.request.system},
          session.host);
      session.say("it is the default now");
    }
    return Exit::done;
  }
  const Eula eula = accept_licence(options, session);
  const auto published = commands::run_install(prepared, eula, session.host);
  session.host.progress.job_end();
  say_result(published, session);
  return Exit::done;
}

void add_what(CLI::App& app, Options& options) {
  auto& request = options.request;
  app.add_option(
         "SPEC", request.spec,
         "12, 12.1, 12.1.1, latest, auto (the newest that the driver takes), \">=12.1,<13\", "
         "or with --for a library such as cudnn@9.1")
      ->required();
  app.add_option("--profile,-p", request.profile,
                 "minimal, runtime, dev (default) or full (CUDAENV_PROFILE)");
  app.add_option("--component,-c", request.components, "Only these components, comma-separated");
  app.add_option("--without", request.without, "Leave these components out");
  app.add_flag("--no-static", request.no_static, "Leave the static libraries out");
  app.add_option("--with", request.with, "A library into the same prefix: cudnn@8.9");
  app.add_option("--for", options.into, "The installed toolkit that a library goes into");
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
