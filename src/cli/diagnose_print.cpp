#include "cli/diagnose_print.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/findings_print.hpp"
#include "cli/json_parts.hpp"

namespace cudaenv::cli {
namespace {

using nlohmann::ordered_json;

ordered_json figures_json(const compat::RunFigures& figures) {
  return {{"gpus", figures.gpus},
          {"start_up_seconds", figures.start_up},
          {"judged_seconds", figures.judged},
          {"samples", figures.samples},
          {"busy", json_of(figures.busy)},
          {"busy_multiprocessors", json_of(figures.busy_multiprocessors)},
          {"tensor_activity", json_of(figures.tensor_activity)},
          {"memory_bandwidth", json_of(figures.memory_bandwidth)},
          {"memory_peak", json_of(figures.memory_peak)},
          {"power", json_of(figures.power)},
          {"clock", json_of(figures.clock)},
          {"pcie", json_of(figures.link)},
          {"hot", figures.hot},
          {"power_capped", figures.capped},
          {"processors", figures.processors},
          {"busiest_thread", figures.busiest_thread},
          {"waiting", figures.waiting},
          {"io_pressure", json_of(figures.io_pressure)},
          {"read_bytes_per_second", json_of(figures.read_rate)}};
}

ordered_json gpu_sample_json(const GpuReading& gpu) {
  const auto watts = [](const auto& value) {
    return value ? ordered_json(static_cast<double>(*value) / 1000) : ordered_json(nullptr);
  };
  return {{"index", gpu.index},
          {"lost", json_of(gpu.lost)},
          {"utilization_percent", json_of(gpu.utilization)},
          {"memory_used", gpu.memory ? ordered_json(gpu.memory->used) : nullptr},
          {"power_watts", watts(gpu.power)},
          {"temperature_celsius", json_of(gpu.temperature)},
          {"clock_mhz", json_of(gpu.clock)},
          {"throttle", gpu.throttle ? ordered_json(throttle::in_words(*gpu.throttle)) : nullptr},
          {"received_bytes_per_second", json_of(gpu.received)},
          {"sent_bytes_per_second", json_of(gpu.sent)},
          {"busy_multiprocessors_percent", json_of(gpu.busy_multiprocessors)},
          {"tensor_activity_percent", json_of(gpu.tensor_activity)},
          {"memory_bandwidth_percent", json_of(gpu.memory_bandwidth)}};
}

ordered_json sample_json(const RunSample& sample) {
  ordered_json gpus = ordered_json::array();
  for (const auto& gpu : sample.gpus) gpus.push_back(gpu_sample_json(gpu));
  return {{"begin", sample.begin},
          {"end", sample.end},
          {"processors", sample.processors},
          {"busiest_thread", sample.busiest_thread},
          {"processes", sample.processes},
          {"threads", sample.threads},
          {"waiting_threads", sample.waiting},
          {"read_bytes_per_second", json_of(sample.read_rate)},
          {"write_bytes_per_second", json_of(sample.write_rate)},
          {"io_pressure", json_of(sample.io_pressure)},
          {"gpus", std::move(gpus)}};
}

std::string finding_text(const compat::Finding& finding, const std::string& head) {
  std::string text = head + finding.seen + "\n";
  for (const auto& line : finding.why) text += fmt::format("  {}\n", line);
  return text;
}

std::string help_text(const compat::Finding& finding, const Style& style) {
  std::string text;
  for (const auto& line : finding.help) text += fmt::format("{} {}\n", style.cyan("help:"), line);
  return text;
}

}  // namespace

std::string watched_text(const commands::DiagnoseResult& result) {
  std::string text = fmt::format("{:.1f} s in {}", result.seconds,
                                 text::counted(result.trace.samples.size(), "look"));
  const auto& gpus = result.figures.gpus;
  if (!gpus.empty()) {
    text += fmt::format(", GPU{} {}", gpus.size() == 1 ? "" : "s", fmt::join(gpus, ", "));
  }
  if (result.figures.start_up >= 0.1) {
    text += fmt::format("; {:.1f} s went by before one worked", result.figures.start_up);
  }
  return text;
}

std::string diagnose_text(const commands::DiagnoseResult& result, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    const auto& finding = result.findings[i];
    const std::string head = i == 0 ? style.bold("verdict:") + " " : style.bold("also:") + " ";
    text += finding_text(finding, head) + help_text(finding, style);
  }
  if (!result.trace.trouble.empty() && result.findings.front().id != "run.no-figures") {
    text += fmt::format("{} the GPUs were not always read: {}\n", style.yellow("note:"),
                        result.trace.trouble);
  }
  return text + fmt::format("{}\n", style.dim("watched " + watched_text(result)));
}

ordered_json diagnose_json(const commands::DiagnoseResult& result) {
  ordered_json samples = ordered_json::array();
  for (const auto& sample : result.trace.samples) samples.push_back(sample_json(sample));
  return {{"schema", 1},
          {"command", result.what},
          {"pid", result.pid},
          {"time", result.began},
          {"seconds", result.seconds},
          {"status", result.ending ? ordered_json(result.ending->status) : nullptr},
          {"verdict", result.findings.front().id},
          {"findings", findings_json(result.findings)},
          {"figures", figures_json(result.figures)},
          {"machine_processors", result.trace.machine_processors},
          {"trouble", json_of(result.trace.trouble)},
          {"samples", std::move(samples)}};
}

}  // namespace cudaenv::cli
