#include <functional>
#include <set>

#include <fmt/format.h>

#include "cli/diagnose_print.hpp"
#include "cli/html.hpp"
#include "cli/svg_chart.hpp"

namespace cudaenv::cli {
namespace {

using OfSample = std::function<std::optional<double>(const RunSample&)>;
using OfGpu = std::function<std::optional<double>(const GpuReading&)>;

template <typename Number>
OfGpu scaled(std::optional<Number> GpuReading::*field, double scale) {
  return [field, scale](const GpuReading& gpu) {
    return gpu.*field ? std::optional(static_cast<double>(*(gpu.*field)) * scale) : std::nullopt;
  };
}

std::optional<double> used_gib(const GpuReading& gpu) {
  if (!gpu.memory) return std::nullopt;
  return static_cast<double>(gpu.memory->used) / (1u << 30);
}

ChartLine line_of(std::string name, const RunTrace& trace, const OfSample& value) {
  ChartLine line{std::move(name), {}};
  for (const auto& sample : trace.samples) line.points.emplace_back(sample.end, value(sample));
  return line;
}

// The GPUs that were judged, or all where none was.
std::set<unsigned> shown_gpus(const commands::DiagnoseResult& result) {
  std::set<unsigned> gpus(result.figures.gpus.begin(), result.figures.gpus.end());
  if (!gpus.empty()) return gpus;
  for (const auto& sample : result.trace.samples) {
    for (const auto& gpu : sample.gpus) gpus.insert(gpu.index);
  }
  return gpus;
}

// A line for each GPU and value, "GPU 0 busy".
void add_gpu_lines(Chart& chart, const commands::DiagnoseResult& result, const std::string& name,
                   const OfGpu& value) {
  for (const unsigned index : shown_gpus(result)) {
    chart.lines.push_back(line_of(fmt::format("GPU {}{}{}", index, name.empty() ? "" : " ", name),
                                  result.trace,
                                  [&](const RunSample& sample) -> std::optional<double> {
                                    for (const auto& gpu : sample.gpus) {
                                      if (gpu.index == index) return value(gpu);
                                    }
                                    return std::nullopt;
                                  }));
  }
}

std::string gpu_charts(const commands::DiagnoseResult& result) {
  Chart load{"GPU load", "%", "s", 100, {}};
  add_gpu_lines(load, result, "busy", scaled(&GpuReading::utilization, 1));
  add_gpu_lines(load, result, "multiprocessors", scaled(&GpuReading::busy_multiprocessors, 1));
  add_gpu_lines(load, result, "tensor cores", scaled(&GpuReading::tensor_activity, 1));
  add_gpu_lines(load, result, "memory bandwidth", scaled(&GpuReading::memory_bandwidth, 1));
  Chart memory{"GPU memory", "GiB", "s", {}, {}};
  add_gpu_lines(memory, result, "", used_gib);
  Chart power{"Power", "W", "s", {}, {}};
  add_gpu_lines(power, result, "", scaled(&GpuReading::power, 1e-3));
  Chart clock{"Clock", "MHz", "s", {}, {}};
  add_gpu_lines(clock, result, "", scaled(&GpuReading::clock, 1));
  Chart heat{"Temperature", "\u00b0C", "s", {}, {}};
  add_gpu_lines(heat, result, "", scaled(&GpuReading::temperature, 1));
  Chart link{"PCIe", "GB/s", "s", {}, {}};
  add_gpu_lines(link, result, "received", scaled(&GpuReading::received, 1e-9));
  add_gpu_lines(link, result, "sent", scaled(&GpuReading::sent, 1e-9));
  std::string text;
  for (const auto* chart : {&load, &memory, &power, &clock, &heat, &link}) {
    text += svg_chart(*chart);
  }
  return text;
}

std::string host_charts(const RunTrace& trace) {
  const Chart processors{
      "Processors of the run",
      "",
      "s",
      {},
      {line_of("all threads", trace, [](const auto& sample) { return sample.processors; }),
       line_of("busiest thread", trace, [](const auto& sample) { return sample.busiest_thread; })}};
  const auto mega = [](const std::optional<double>& rate) {
    return rate ? std::optional(*rate / 1e6) : std::nullopt;
  };
  const Chart disk{"Storage of the run",
                   "MB/s",
                   "s",
                   {},
                   {line_of("read", trace, [&](const auto& s) { return mega(s.read_rate); }),
                    line_of("written", trace, [&](const auto& s) { return mega(s.write_rate); })}};
  const Chart pressure{"Waiting for input and output (machine)",
                       "%",
                       "s",
                       100,
                       {line_of("some process", trace, [](const auto& s) -> std::optional<double> {
                         return s.io_pressure ? std::optional(100 * *s.io_pressure) : std::nullopt;
                       })}};
  return svg_chart(processors) + svg_chart(disk) + svg_chart(pressure);
}

std::string finding_html(const compat::Finding& finding, bool first) {
  std::string text = fmt::format("<section class=\"{}\">\n<h2>{}</h2>\n<ul>\n",
                                 first ? "verdict" : "also", html_prose(finding.seen));
  for (const auto& line : finding.why) text += fmt::format("<li>{}</li>\n", html_prose(line));
  text += "</ul>\n<ol>\n";
  for (const auto& line : finding.help) text += fmt::format("<li>{}</li>\n", html_prose(line));
  return text + "</ol>\n</section>\n";
}

constexpr std::string_view page_style = R"(
h1 { font: 600 1.2rem ui-monospace, monospace; } h2 { font-size: 1.1rem; margin: .3rem 0; }
section { border-left: 3px solid var(--line); padding: .1rem 1.25rem; margin: 1.5rem 0; }
.verdict { border-color: var(--c1); } .verdict h2 { font-size: 1.4rem; }
ol { color: var(--good); }
)";

}  // namespace

std::string diagnose_html(const commands::DiagnoseResult& result) {
  std::string findings;
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    findings += finding_html(result.findings[i], i == 0);
  }
  const std::string body =
      fmt::format("<h1>{}</h1>\n<p class=\"faint\">{}, watched {}</p>\n", html_escaped(result.what),
                  html_time(result.began), html_escaped(watched_text(result)));
  return html_page(result.what, std::string(chart_style) + std::string(page_style),
                   body + findings + gpu_charts(result) + host_charts(result.trace));
}

}  // namespace cudaenv::cli
