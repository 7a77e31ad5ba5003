#include "cli/bench_print.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/json_parts.hpp"
#include "cli/table.hpp"

namespace cudaenv::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string key_of(int gpu, const std::string& group, const std::string& name) {
  return fmt::format("{} {} {}", gpu, group, name);
}

// What is known of the board for this figure.
std::vector<compat::Baseline> baselines_of(const commands::MeasuredGpu& gpu,
                                           const gpu::Figure& figure) {
  return gpu.board ? gpu.board->of(figure.name, figure.unit) : std::vector<compat::Baseline>();
}

Json figure_json(const commands::MeasuredGpu& gpu, const gpu::Figure& figure) {
  Json json{{"group", figure.group},   {"name", figure.name}, {"unit", figure.unit},
            {"median", figure.median}, {"low", figure.low},   {"high", figure.high}};
  json["peak"] = json_of(figure.peak);
  json["baselines"] = Json::array();
  for (const auto& baseline : baselines_of(gpu, figure)) {
    json["baselines"].push_back({{"kind", compat::name_of(baseline.kind)},
                                 {"value", baseline.value},
                                 {"ratio", figure.median / baseline.value},
                                 {"source", baseline.source}});
  }
  return json;
}

Json gpu_json(const commands::MeasuredGpu& gpu) {
  Json facts = Json::object();
  for (const auto& [name, value] : gpu.outcome.facts) facts[name] = value;
  Json figures = Json::array();
  for (const auto& figure : gpu.outcome.figures) figures.push_back(figure_json(gpu, figure));
  Json failures = Json::array();
  for (const auto& check : gpu.outcome.checks) {
    if (check.failure) {
      failures.push_back({{"group", check.name},
                          {"layer", name_of(check.failure->layer)},
                          {"what", check.failure->what}});
    }
  }
  return {{"number", gpu.number},
          {"uuid", gpu.facts.uuid},
          {"name", gpu.facts.name},
          {"facts", std::move(facts)},
          {"board", gpu.board ? Json(gpu.board->board.name) : Json(nullptr)},
          {"figures", std::move(figures)},
          {"failures", std::move(failures)}};
}

std::vector<std::vector<std::string>> rows_of(const commands::MeasuredGpu& gpu,
                                              const EarlierFigures& earlier, const Style& style,
                                              SourceList& sources) {
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"", "median", "quartiles", "of the peak"});
  if (!earlier.empty()) rows.front().emplace_back("of the earlier run");
  if (gpu.board) rows.front().push_back("of " + gpu.board->board.name);
  for (auto& heading : rows.front()) heading = style.dim(heading);
  std::string group;
  for (const auto& figure : gpu.outcome.figures) {
    if (figure.group != group) rows.push_back({style.bold(figure.group)});
    group = figure.group;
    auto& row = rows.emplace_back(std::vector<std::string>{
        "  " + figure.name, shown_figure(figure.median) + " " + figure.unit,
        shown_figure(figure.low) + " to " + shown_figure(figure.high), peak_share(figure)});
    if (!earlier.empty()) row.push_back(earlier_share(figure, gpu.number, earlier));
    if (gpu.board) row.push_back(baseline_text(gpu, figure, sources));
  }
  return rows;
}

}  // namespace

int SourceList::number(const std::string& source) {
  auto at = std::find(sources_.begin(), sources_.end(), source);
  if (at == sources_.end()) at = sources_.insert(at, source);
  return static_cast<int>(at - sources_.begin()) + 1;
}

std::string shown_figure(double value) {
  return value < 10000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

std::string peak_share(const gpu::Figure& figure) {
  if (!figure.peak) return "";
  return fmt::format("{:.0f} % of {}", 100 * figure.median / *figure.peak,
                     shown_figure(std::round(*figure.peak)));
}

std::string earlier_share(const gpu::Figure& figure, int gpu, const EarlierFigures& earlier) {
  const auto found = earlier.find(key_of(gpu, figure.group, figure.name));
  if (found == earlier.end() || found->second <= 0) return "";
  return fmt::format("{:.2f} of {}", figure.median / found->second, shown_figure(found->second));
}

std::string baseline_text(const commands::MeasuredGpu& gpu, const gpu::Figure& figure,
                          SourceList& sources) {
  std::vector<std::string> parts;
  for (const auto& baseline : baselines_of(gpu, figure)) {
    parts.push_back(fmt::format("{:.2f} of {} [{}]", figure.median / baseline.value,
                                shown_figure(baseline.value), sources.number(baseline.source)));
  }
  return text::join(parts, ", ");
}

EarlierFigures read_figures(std::string_view json, std::string_view where) {
  EarlierFigures earlier;
  try {
    const Json run = Json::parse(json);
    for (const auto& gpu : run.at("gpus")) {
      for (const auto& figure : gpu.at("figures")) {
        earlier[key_of(gpu.at("number").get<int>(), figure.at("group").get<std::string>(),
                       figure.at("name").get<std::string>())] = figure.at("median").get<double>();
      }
    }
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::corrupt,
                fmt::format("`{}` is not what `bench --json` prints", text::visible(where)))
        .because(text::visible(error.what()));
  }
  return earlier;
}

std::string bench_json(const commands::BenchResult& result) {
  Json gpus = Json::array();
  for (const auto& gpu : result.gpus) gpus.push_back(gpu_json(gpu));
  const Json json{{"schema", 1},
                  {"measured_at", result.measured_at},
                  {"skipped", json_of(result.skipped)},
                  {"toolkit", result.toolkit ? Json(result.toolkit->path.string()) : Json(nullptr)},
                  {"gpus", std::move(gpus)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string bench_text(const commands::BenchResult& result, const EarlierFigures& earlier,
                       const Style& style) {
  std::string text;
  SourceList sources;
  for (const auto& gpu : result.gpus) {
    text += fmt::format("{} {}", style.bold(fmt::format("GPU {}", gpu.number)), gpu.facts.name);
    for (const auto& [name, value] : gpu.outcome.facts) {
      if (name != "gpu") text += fmt::format(", {} {}", name, value);
    }
    text += "\n" + table(rows_of(gpu, earlier, style, sources));
  }
  int number = 0;
  for (const auto& source : sources.all()) text += fmt::format("[{}] {}\n", ++number, source);
  return text;
}

}  // namespace cudaenv::cli
