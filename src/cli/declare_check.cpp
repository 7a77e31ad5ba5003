#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/findings_print.hpp"
#include "cli/json_parts.hpp"
#include "cli/machine_options.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"
#include "commands/check.hpp"

namespace cudaenv::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  commands::CheckRequest request;
  unsigned seconds = 120;
  bool json = false;
  bool strict = false;
};

std::string check_json(const commands::CheckResult& result) {
  Json layers = Json::array();
  for (const auto& layer : result.layers) {
    layers.push_back({{"layer", layer.name},
                      {"verdict", layer.verdict},
                      {"what", layer.what},
                      {"assumed", layer.assumed},
                      {"findings", findings_json(layer.findings)}});
  }
  const Json json{{"schema", 1},
                  {"root", result.root},
                  {"tables", result.tables_date},
                  {"toolkit", json_of(result.toolkit)},
                  {"path", json_of(result.path)},
                  {"framework", json_of(result.framework)},
                  {"python", json_of(result.python)},
                  {"worst", compat::name_of(result.worst())},
                  {"layers", std::move(layers)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string check_text(const commands::CheckResult& result, const Style& style) {
  std::vector<std::vector<std::string>> rows;
  if (result.root != "/") {
    rows.push_back({style.bold("root"), "", text::visible(result.root, 400)});
  }
  for (const auto& layer : result.layers) {
    const bool bad =
        !layer.findings.empty() && compat::worst(layer.findings) == compat::Severity::error;
    rows.push_back({style.bold(layer.name), bad ? style.red(layer.verdict) : layer.verdict,
                    layer.what + (layer.assumed ? ", assumed" : "")});
  }
  std::string text = table(rows);
  std::vector<compat::Finding> findings;
  for (const auto& layer : result.layers) {
    // What two layers have in common is told once.
    for (const auto& finding : layer.findings) {
      if (std::find(findings.begin(), findings.end(), finding) == findings.end()) {
        findings.push_back(finding);
      }
    }
  }
  if (!findings.empty()) text += "\n" + findings_text(findings, style);
  return text + fmt::format("\ntables of {}\n", result.tables_date);
}

int show(Options& options, const Session& session) {
  options.request.limit = std::chrono::seconds(options.seconds);
  const auto result = commands::check(options.request, session.host);
  session.print(options.json ? check_json(result) : check_text(result, session.out));
  const auto bad = options.strict ? compat::Severity::warning : compat::Severity::error;
  return result.worst() >= bad ? Exit::found_something : Exit::done;
}

}  // namespace

void declare_check(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  auto& request = options->request;
  app.add_option("SPEC", request.spec,
                 "The toolkit, installed or not, or its path; without it the one that is active "
                 "here");
  app.add_option("--for", request.framework, "A framework, such as pytorch==2.1 or tensorflow")
      ->type_name("FRAMEWORK");
  app.add_option("--python", request.python,
                 "Ask this Python, or this environment's folder, what its frameworks find; without "
                 "it the active environment's")
      ->type_name("PATH");
  add_machine_options(app, request.machine);
  app.add_option("--timeout", options->seconds, "How long a Python may take (120)")
      ->check(CLI::Range(1, 3600).description(""))
      ->type_name("SECONDS");
  app.add_flag("--strict", options->strict, "End with 3 for warnings too");
  app.add_flag("--json", options->json, "Print JSON");
  app.callback([options, &session] {
    session.action = [options, &session] { return show(*options, session); };
  });
}

}  // namespace cudaenv::cli
