#include "cli/install_run.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/report.hpp"
#include "commands/selftest.hpp"
#include "commands/set_default.hpp"

namespace cudaenv::cli {
namespace {

using commands::PreparedInstall;
using install::Eula;

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

Eula accept_licence(bool accepted, const Session& session) {
  if (accepted) return Eula::flag;
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

// The toolkit is installed, whatever comes out: it may be for another driver or another machine.
void prove(const PreparedInstall& prepared, const install::Published& published,
           const Session& session) {
  if (commands::is_for_elsewhere(prepared)) return;
  const auto result = commands::prove_installed(prepared.layout, published.prefix, session.host);
  if (!result) return;
  session.say(fmt::format("self-test: {}", name_of(result->verdict())));
  for (const auto& level : result->levels) {
    for (const auto& check : level.checks) {
      if (!check.failure) continue;
      session.note(fmt::format("{} {}: {}", level.level, check.name, check.failure->what));
      for (const auto& line : check.failure->causes) session.say("  " + line);
      for (const auto& line : check.failure->help) session.say("  " + line);
    }
  }
}

}  // namespace

int run_prepared(PreparedInstall prepared, const InstallRun& options, const Session& session) {
  if (!prepared.plan.unusable.empty()) prepared = take_alternative(std::move(prepared), session);
  const auto& request = prepared.request;
  if (prepared.already) {
    session.say(fmt::format("CUDA {} is installed in {}", prepared.plan.wish.cuda.text(),
                            prepared.prefix.string()));
    const bool default_set = commands::finish_install(prepared, session.host);
    if (default_set) session.say("it is the default now");
    if (request.set_default && !default_set) {
      commands::set_default({prepared.plan.wish.prefix, false, request.force, request.system},
                            session.host);
      session.say("it is the default now");
    }
    return Exit::done;
  }
  const Eula eula = accept_licence(options.accept_eula, session);
  const auto published = commands::run_install(prepared, eula, session.host);
  session.host.progress.job_end();
  say_result(published, session);
  if (options.selftest) prove(prepared, published, session);
  return Exit::done;
}

}  // namespace cudaenv::cli
