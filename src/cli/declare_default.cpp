#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/declare.hpp"
#include "cli/report.hpp"
#include "commands/set_default.hpp"

namespace cudaenv::cli {
namespace {

int show(const commands::DefaultResult& result, bool json, const Session& session) {
  if (json) {
    const nlohmann::ordered_json text{
        {"schema", 1},
        {"link", result.link.string()},
        {"prefix", result.after ? nlohmann::ordered_json(result.after->string()) : nullptr}};
    session.print(text.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return Exit::done;
  }
  if (result.after) {
    session.print(result.after->string() + "\n");
  } else {
    session.say("there is no default");
  }
  return Exit::done;
}

}  // namespace

void declare_default(CLI::App& app, Session& session) {
  struct Options {
    commands::DefaultRequest request;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  auto* spec =
      app.add_option("SPEC", options->request.spec,
                     "The toolkit that the link is to name; without it the present one is printed");
  app.add_flag("--unset", options->request.unset, "Remove the link")->excludes(spec);
  app.add_flag("--force,-f", options->request.force, "Replace a link that is not ours");
  app.add_flag("--system", options->request.system, "The link /usr/local/cuda, whoever you are");
  app.add_flag("--json", options->json, "Print JSON");
  app.callback([options, &session] {
    session.action = [options, &session]() -> int {
      const auto result = commands::set_default(options->request, session.host);
      if (options->request.unset) {
        session.say(result.before ? fmt::format("removed `{}`", result.link.string())
                                  : "there was no default");
        return Exit::done;
      }
      if (options->request.spec.empty() || options->json) {
        return show(result, options->json, session);
      }
      session.say(fmt::format("{} -> {}", result.link.string(), result.after->string()));
      return Exit::done;
    };
  });
}

}  // namespace cudaenv::cli
