#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/json_parts.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"
#include "commands/selftest.hpp"

namespace cudaenv::cli {
namespace {

using Json = nlohmann::ordered_json;
using commands::LevelResult;
using commands::SelftestResult;

struct Options {
  commands::SelftestRequest request;
  std::string levels;
  unsigned timeout = 0;  // seconds; 0: by the level
  bool verbose = false;
  bool json = false;
};

Json check_json(const Check& check) {
  Json json{{"name", check.name},
            {"verdict", name_of(check.verdict)},
            {"milliseconds", check.milliseconds},
            {"detail", json_of(check.detail)}};
  if (const auto& failure = check.failure) {
    json["failure"] = {{"layer", name_of(failure->layer)}, {"code", failure->code},
                       {"name", json_of(failure->name)},   {"what", failure->what},
                       {"causes", failure->causes},        {"help", failure->help}};
  }
  return json;
}

Json level_json(const LevelResult& level) {
  Json checks = Json::array();
  for (const auto& check : level.checks) checks.push_back(check_json(check));
  return {{"toolkit", json_of(level.toolkit)},
          {"gpu", json_of(level.gpu)},
          {"level", level.level},
          {"verdict", name_of(level.verdict())},
          {"milliseconds", level.milliseconds()},
          {"checks", std::move(checks)}};
}

Json result_json(const SelftestResult& result) {
  Json gpus = Json::array();
  for (std::size_t i = 0; i < result.gpus.size(); ++i) {
    const auto& gpu = result.gpus[i];
    gpus.push_back({{"number", result.numbers[i]},
                    {"uuid", gpu.uuid},
                    {"name", gpu.name},
                    {"capability", gpu.capability ? Json(gpu.capability->text()) : Json(nullptr)},
                    {"memory_bytes", json_of(gpu.memory_bytes)},
                    {"mig", gpu.mig}});
  }
  Json toolkits = Json::array();
  for (const auto& toolkit : result.toolkits) {
    toolkits.push_back({{"name", toolkit.name}, {"path", toolkit.path.string()}});
  }
  Json levels = Json::array();
  for (const auto& level : result.levels) levels.push_back(level_json(level));
  return {{"schema", 1},
          {"verdict", name_of(result.verdict())},
          {"skipped", json_of(result.skipped)},
          {"gpus", std::move(gpus)},
          {"toolkits", std::move(toolkits)},
          {"levels", std::move(levels)},
          {"notes", result.notes}};
}

std::string shown_verdict(Verdict verdict, const Style& style) {
  const std::string name(name_of(verdict));
  if (verdict == Verdict::failed) return style.red(name);
  return verdict == Verdict::passed ? style.green(name) : style.yellow(name);
}

std::string shown_time(double milliseconds) {
  return milliseconds < 1000 ? fmt::format("{:.0f} ms", milliseconds)
                             : fmt::format("{:.1f} s", milliseconds / 1000);
}

// What is worth a line where all is well: how many checks, and what the last of them saw.
std::string summary(const LevelResult& level) {
  std::size_t passed = 0;
  std::size_t skipped = 0;
  for (const auto& check : level.checks) {
    passed += check.verdict == Verdict::passed;
    skipped += check.verdict == Verdict::skipped;
  }
  if (level.verdict() == Verdict::skipped && !level.checks.empty()) {
    return level.checks.front().detail;
  }
  std::string text = text::counted(level.checks.size(), "check");
  const std::size_t failed = level.checks.size() - passed - skipped;
  if (failed > 0) text += fmt::format(", {} failed", failed);
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  if (level.level == "memory" && level.verdict() == Verdict::passed) {
    text += fmt::format(": {}", level.checks.back().detail);
  }
  return text;
}

std::string levels_table(const SelftestResult& result, const Style& style, bool verbose) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& level : result.levels) {
    rows.push_back({level.gpu ? fmt::format("GPU {}", *level.gpu) : "all GPUs",
                    level.toolkit.empty() ? "-" : level.toolkit, level.level,
                    shown_verdict(level.verdict(), style), shown_time(level.milliseconds()),
                    summary(level)});
    if (!verbose) continue;
    for (const auto& check : level.checks) {
      rows.push_back({"", "", "  " + check.name, shown_verdict(check.verdict, style),
                      shown_time(check.milliseconds), check.detail});
    }
  }
  return table(rows);
}

std::string gpus_text(const SelftestResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < result.gpus.size(); ++i) {
    const auto& gpu = result.gpus[i];
    rows.push_back({fmt::format("GPU {}", result.numbers[i]), gpu.name,
                    gpu.capability ? gpu.capability->sm() : "-", gpu.uuid});
  }
  return table(rows);
}

// Each failure with its place, then what to do; the same advice once for several in a row.
std::string failures_text(const SelftestResult& result, const Style& style) {
  std::string text;
  for (const auto& level : result.levels) {
    std::vector<std::string> told;
    for (const auto& check : level.checks) {
      if (!check.failure) continue;
      const auto& failure = *check.failure;
      std::string code;
      if (!failure.name.empty()) code = failure.name;
      if (failure.code != 0) code += fmt::format("{}({})", code.empty() ? "" : " ", failure.code);
      if (!code.empty()) code += ": ";
      text += fmt::format("\n{} {}{}{} {}: {}\n  {}{}\n", style.red("failed:"),
                          level.gpu ? fmt::format("GPU {} ", *level.gpu) : "",
                          level.toolkit.empty() ? "" : level.toolkit + " ", level.level, check.name,
                          name_of(failure.layer), code, failure.what);
      if (failure.help == told) continue;
      told = failure.help;
      for (const auto& line : failure.causes) text += fmt::format("  {}\n", line);
      for (const auto& line : told) text += fmt::format("{} {}\n", style.cyan("help:"), line);
    }
  }
  return text;
}

int status_of(Verdict verdict) {
  if (verdict == Verdict::failed) return Exit::failed;
  return verdict == Verdict::skipped ? Exit::skipped : Exit::done;
}

int act(Options options, const Session& session) {
  auto& request = options.request;
  request.levels =
      options.levels.empty() ? commands::usual_levels() : commands::parse_levels(options.levels);
  if (options.timeout > 0) request.limit = std::chrono::seconds(options.timeout);
  const auto result = commands::selftest(request, session.host);
  session.host.progress.job_end();
  if (options.json) {
    session.print(result_json(result).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } else if (!result.levels.empty()) {
    session.print(gpus_text(result) + levels_table(result, session.out, options.verbose) +
                  failures_text(result, session.out));
  }
  for (const auto& note : result.notes) session.note(note);
  if (!result.skipped.empty()) session.say(fmt::format("SKIP: {}", result.skipped));
  return status_of(result.verdict());
}

}  // namespace

void declare_selftest(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  auto& request = options->request;
  app.add_option("SPEC", request.spec,
                 "The toolkit, or any toolkit's folder; without it the active one, else the "
                 "project's, else the default");
  app.add_flag("--all,-a", request.all, "Every installed toolkit");
  app.add_option("--gpu", request.gpus, "Only these GPUs: numbers or UUIDs, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--level", options->levels,
                 "driver, runtime, compiler, libraries (all these without it), memory or full, "
                 "comma-separated");
  app.add_option("--timeout", options->timeout,
                 "Seconds that each part may take before it counts as hung (120, memory 900)")
      ->check(CLI::Range(1, 86400).description(""))
      ->type_name("SECONDS");
  app.add_flag("--verbose,-v", options->verbose, "Every check");
  app.add_flag("--json", options->json, "Print JSON");
  app.callback([options, &session] {
    session.action = [options, &session] { return act(*options, session); };
  });
}

}  // namespace cudaenv::cli
