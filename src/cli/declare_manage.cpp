// uninstall, verify, gc: what concerns toolkits that are there.
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/report.hpp"
#include "commands/gc.hpp"
#include "commands/uninstall.hpp"
#include "commands/verify.hpp"

namespace cudaenv::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view word_of(commands::Damage::Kind kind) {
  switch (kind) {
    case commands::Damage::Kind::missing:
      return "missing";
    case commands::Damage::Kind::changed:
      return "changed";
    case commands::Damage::Kind::mode:
      return "mode";
    case commands::Damage::Kind::extra:
      return "extra";
  }
  return "";
}

Json verified_json(const commands::VerifyResult& result) {
  Json list = Json::array();
  for (const auto& verified : result.prefixes) {
    Json damages = Json::array();
    for (const auto& damage : verified.damages) {
      damages.push_back({{"kind", word_of(damage.kind)}, {"path", damage.path}});
    }
    list.push_back({{"name", verified.prefix.receipt.name},
                    {"ok", verified.ok()},
                    {"files", verified.files},
                    {"bytes", verified.bytes},
                    {"damages", std::move(damages)}});
    if (!verified.problem.empty()) list.back()["problem"] = verified.problem;
  }
  Json unreadable = Json::array();
  for (const auto& oddity : result.unreadable) {
    unreadable.push_back({{"path", oddity.path.string()}, {"problem", oddity.why}});
  }
  return {{"schema", 1}, {"prefixes", std::move(list)}, {"unreadable", std::move(unreadable)}};
}

// What makes a toolkit anew as it was: --force alone would take the profile dev and nothing else.
std::string repair_command(const store::Receipt& receipt) {
  std::string command = fmt::format("cudaenv install {} --force", receipt.cuda.text());
  if (!store::has_plain_name(receipt)) command += " --name " + receipt.name;
  if (receipt.profile != "custom") command += " --profile " + receipt.profile;
  if (!receipt.requested.empty()) {
    command += fmt::format(" --component {}", fmt::join(receipt.requested, ","));
  }
  bool no_static = false;
  for (const auto& component : receipt.components) {
    no_static = no_static || component.filter == "no_static";
    if (component.product == "cuda") continue;
    command += fmt::format(" --with {}@{}", component.product, component.version);
  }
  return command + (no_static ? " --no-static" : "");
}

void print_verified(const commands::Verified& verified, const Session& session) {
  const auto& receipt = verified.prefix.receipt;
  for (const auto& damage : verified.damages) {
    session.print(fmt::format("{}: {} {}\n", receipt.name, word_of(damage.kind),
                              text::visible(damage.path, 1000)));
  }
  if (!verified.problem.empty()) {
    session.print(fmt::format("{}: {}\n", receipt.name, verified.problem));
  }
  if (verified.ok()) {
    session.say(fmt::format("{}: {} {}, {}", receipt.name, session.err.green("whole:"),
                            text::counted(verified.files, "file"), text::bytes(verified.bytes)));
  } else {
    session.note(fmt::format("{} is damaged; make it anew with `{}`", receipt.name,
                             repair_command(receipt)));
    const bool extra = std::any_of(
        verified.damages.begin(), verified.damages.end(),
        [](const auto& damage) { return damage.kind == commands::Damage::Kind::extra; });
    if (extra) session.note("the extra files are lost then: move them away first");
  }
}

void print_unreadable(const store::Oddity& oddity, const Session& session) {
  session.note(fmt::format("`{}` cannot be verified: {}", text::visible(oddity.path.string(), 400),
                           oddity.why));
  for (const auto& advice : oddity.advice) session.note(advice);
}

}  // namespace

void declare_uninstall(CLI::App& app, Session& session) {
  const auto request = std::make_shared<commands::UninstallRequest>();
  app.add_option("SPEC", request->spec, "The toolkit, or with --from a library such as cudnn")
      ->required();
  app.add_option("--from", request->from, "The toolkit that the library is taken out of")
      ->type_name("TOOLKIT");
  app.add_flag("--force,-f", request->force,
               "Even if it is the default (the link goes first) or holds files of yours");
  app.callback([request, &session] {
    session.action = [request, &session] {
      const auto result = commands::uninstall(*request, session.host);
      const std::string what = result.add_on.empty()
                                   ? result.name
                                   : fmt::format("{} from {}", result.add_on, result.name);
      session.say(fmt::format("removed {}, {} freed", what, text::bytes(result.freed_bytes)));
      if (result.default_removed) session.say("there is no default now");
      return Exit::done;
    };
  });
}

void declare_verify(CLI::App& app, Session& session) {
  struct Options {
    commands::VerifyRequest request;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("SPEC", options->request.spec,
                 "The toolkit; without it the active one, else the project's, else the default");
  app.add_flag("--all,-a", options->request.all, "Every toolkit");
  app.add_option("--jobs,-j", options->request.jobs, "Files read at once")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
  app.add_flag("--json", options->json, "Print JSON");
  app.callback([options, &session] {
    session.action = [options, &session] {
      const auto result = commands::verify(options->request, session.host);
      session.host.progress.job_end();
      if (options->json) {
        session.print(verified_json(result).dump(2, ' ', false, Json::error_handler_t::replace) +
                      "\n");
      } else {
        for (const auto& verified : result.prefixes) print_verified(verified, session);
      }
      for (const auto& oddity : result.unreadable) print_unreadable(oddity, session);
      return result.ok() ? Exit::done : Exit::failed;
    };
  });
}

void declare_gc(CLI::App& app, Session& session) {
  const auto request = std::make_shared<commands::GcRequest>();
  app.add_flag("--dry-run,-n", request->dry_run, "Only tell what would go");
  app.add_flag("--system", request->system, "In /usr/local, whoever you are");
  app.callback([request, &session] {
    session.action = [request, &session] {
      const auto collected = commands::gc(*request, session.host);
      if (request->dry_run) {
        for (const auto& entry : collected.entries) session.print(entry + "\n");
        for (const auto& name : collected.downloads) session.print(name + "\n");
      }
      for (const auto& oddity : collected.unreadable) {
        session.note(fmt::format("no component is removed while nobody knows what `{}` uses: {}",
                                 text::visible(oddity.path.string(), 400), oddity.why));
      }
      session.say(fmt::format(
          "{} {} and {}, {} in all", request->dry_run ? "would remove" : "removed",
          text::counted(collected.entries.size(), "unused component"),
          text::counted(collected.downloads.size(), "download"), text::bytes(collected.bytes)));
      return Exit::done;
    };
  });
}

}  // namespace cudaenv::cli
