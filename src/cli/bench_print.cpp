#include "cli/bench_print.hpp"

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

Json figure_json(const gpu::Figure& figure) {
  Json json{{"group", figure.group},   {"name", figure.name}, {"unit", figure.unit},
            {"median", figure.median}, {"low", figure.low},   {"high", figure.high}};
  json["peak"] = json_of(figure.peak);
  return json;
}

Json gpu_json(const commands::MeasuredGpu& gpu) {
  Json facts = Json::object();
  for (const auto& [name, value] : gpu.outcome.facts) facts[name] = value;
  Json figures = Json::array();
  for (const auto& figure : gpu.outcome.figures) figures.push_back(figure_json(figure));
  Json failures = Json::array();
  for (const auto& check : gpu.outcome.checks) {
    if (check.failure) {
      failures.push_back({{"group", check.name},
                          {"layer", name_of(check.failure->layer)},
                          {"what", check.failure->what}});
    }
  }
  return {{"number", gpu.number},          {"uuid", gpu.facts.uuid},
          {"name", gpu.facts.name},        {"facts", std::move(facts)},
          {"figures", std::move(figures)}, {"failures", std::move(failures)}};
}

// How many times the earlier figure it is.
std::string against(const gpu::Figure& figure, int gpu, const EarlierFigures& earlier) {
  const auto found = earlier.find(key_of(gpu, figure.group, figure.name));
  if (found == earlier.end() || found->second <= 0) return "";
  return fmt::format("{:.2f} of {:.4g}", figure.median / found->second, found->second);
}

std::vector<std::vector<std::string>> rows_of(const commands::MeasuredGpu& gpu,
                                              const EarlierFigures& earlier, const Style& style) {
  std::vector<std::vector<std::string>> rows;
  std::string group;
  for (const auto& figure : gpu.outcome.figures) {
    if (figure.group != group) rows.push_back({style.bold(figure.group)});
    group = figure.group;
    rows.push_back({"  " + figure.name, fmt::format("{:.4g} {}", figure.median, figure.unit),
                    fmt::format("{:.4g} to {:.4g}", figure.low, figure.high),
                    figure.peak ? fmt::format("{:.0f} % of {:.0f}",
                                              100 * figure.median / *figure.peak, *figure.peak)
                                : "",
                    against(figure, gpu.number, earlier)});
  }
  return rows;
}

}  // namespace

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
  for (const auto& gpu : result.gpus) {
    text += fmt::format("{} {}", style.bold(fmt::format("GPU {}", gpu.number)), gpu.facts.name);
    for (const auto& [name, value] : gpu.outcome.facts) {
      if (name != "gpu") text += fmt::format(", {} {}", name, value);
    }
    text += "\n" + table(rows_of(gpu, earlier, style));
  }
  return text;
}

}  // namespace cudaenv::cli
