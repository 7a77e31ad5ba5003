#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cli/bench_print.hpp"
#include "cli/html.hpp"

namespace cudaenv::cli {
namespace {

using Figures = std::vector<gpu::Figure>;

constexpr const char* style_sheet =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#1a1a1a;background:#fff}h2{margin-top:2.5rem}table{border-collapse:collapse;width:100%}"
    "td,th{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid #ddd}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}svg{width:100%;height:auto}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}"
    "td,th{border-color:#444}svg text{fill:#ddd}}";

// A bar for each figure, as long as its share of the longest.
std::string bars(const Figures& figures) {
  constexpr int row = 22;
  constexpr int labels = 330;
  constexpr int longest = 360;
  double greatest = 0;
  for (const auto& figure : figures) greatest = std::max(greatest, figure.median);
  std::string svg = fmt::format("<svg viewBox=\"0 0 800 {}\" role=\"img\">", row * figures.size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const auto& figure = figures[i];
    const double length = greatest > 0 ? longest * figure.median / greatest : 0;
    const auto top = static_cast<double>(i) * row;
    svg += fmt::format(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-size=\"12\">{}</text>"
        "<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"14\" fill=\"#4a8f00\"/>"
        "<text x=\"{:.1f}\" y=\"{}\" font-size=\"12\">{:.4g} {}</text>",
        labels - 8, top + 14, html_escaped(figure.name), labels, top + 3, length,
        labels + length + 6, top + 14, figure.median, html_escaped(figure.unit));
  }
  return svg + "</svg>";
}

std::string rows(const Figures& figures) {
  std::string html =
      "<table><tr><th>what</th><th>median</th><th>quartiles</th><th>of the peak</th></tr>";
  for (const auto& figure : figures) {
    const std::string share =
        figure.peak
            ? fmt::format("{:.0f} % of {:.0f}", 100 * figure.median / *figure.peak, *figure.peak)
            : "";
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{:.4g} {}</td><td class=\"n\">{:.4g} to {:.4g}</td>"
        "<td class=\"n\">{}</td></tr>",
        html_escaped(figure.name), figure.median, html_escaped(figure.unit), figure.low,
        figure.high, share);
  }
  return html + "</table>";
}

std::string one_gpu(const commands::MeasuredGpu& gpu) {
  std::string html =
      fmt::format("<h1>GPU {}: {}</h1><p>", gpu.number, html_escaped(gpu.facts.name));
  for (const auto& [name, value] : gpu.outcome.facts) {
    html += fmt::format("{} {} &middot; ", html_escaped(name), html_escaped(value));
  }
  html += html_escaped(gpu.facts.uuid) + "</p>";
  std::vector<std::string> order;
  std::map<std::string, Figures> groups;
  for (const auto& figure : gpu.outcome.figures) {
    if (groups[figure.group].empty()) order.push_back(figure.group);
    groups[figure.group].push_back(figure);
  }
  for (const auto& group : order) {
    html += fmt::format("<h2>{}</h2>{}{}", html_escaped(group), bars(groups[group]),
                        rows(groups[group]));
  }
  return html;
}

}  // namespace

std::string bench_html(const commands::BenchResult& result) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\">"
      "<title>cudaenv bench</title><style>{}</style></head><body>\n",
      style_sheet);
  for (const auto& gpu : result.gpus) html += one_gpu(gpu);
  return html + fmt::format("<p>Measured at {}{}.</p></body></html>\n",
                            html_escaped(result.measured_at),
                            result.toolkit ? " with " + html_escaped(result.toolkit->path.string())
                                           : std::string());
}

}  // namespace cudaenv::cli
