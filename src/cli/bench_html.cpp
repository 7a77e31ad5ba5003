#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cli/bench_print.hpp"
#include "cli/html.hpp"
#include "cli/svg_chart.hpp"

namespace cudaenv::cli {
namespace {

using Figures = std::vector<gpu::Figure>;

constexpr std::string_view page_style = R"(
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr));
  gap: .5rem 1.5rem; margin: 1rem 0; }
.facts dt { color: var(--faint); font-size: .8rem; } .facts dd { margin: 0; }
table { width: 100%; } td:first-child { min-width: 10rem; }
@media (min-width: 50rem) { td:first-child { white-space: nowrap; } }
td.bar { min-width: 5rem; width: 25%; } td:last-child, th:last-child { padding-right: 0; }
.bar svg { display: block; width: 100%; height: .7rem; margin-top: .3rem; }
.bar rect { fill: var(--c0); } .bar .frame { fill: var(--shade); }
.bar line { stroke: var(--c1); stroke-width: 2; vector-effect: non-scaling-stroke; }
.sources { padding-left: 1.5rem; font-size: .875rem; }
)";

// A group as it is headed, and which part of its figures' names is the step along a curve: what
// comes after the last of these. Empty: the figures are no series.
struct Group {
  const char* heading;
  const char* before_step;
  const char* chart;
};

Group group_of(const std::string& name) {
  static const std::map<std::string, Group> known{
      {"latency", {"How long one copy takes", ", ", "One copy, by its size"}},
      {"bandwidth", {"How fast large copies go", "", ""}},
      {"launch", {"What it costs to start a kernel and to wait", "", ""}},
      {"overlap", {"How much of copying hides behind work", "", ""}},
      {"product", {"Square matrix products", " ", "Products, by rows and columns"}},
      {"batch", {"A layer of 4096 by 4096, by batch", " ", "By batch"}},
      {"between GPUs", {"Copies to the other GPUs", "", ""}}};
  const auto found = known.find(name);
  return found == known.end() ? Group{name.c_str(), "", ""} : found->second;
}

std::string fact_name(const std::string& name) {
  static const std::map<std::string, std::string> known{
      {"clock_mhz", "highest clock, MHz"},   {"sm_mhz", "clock, MHz"},
      {"memory_mhz", "memory's clock, MHz"}, {"pcie_generation", "PCIe generation"},
      {"pcie_lanes", "PCIe lanes"},          {"nvlinks", "NVLinks"},
      {"reaches", "reaches the memory of"}};
  const auto found = known.find(name);
  return found == known.end() ? name : found->second;
}

std::string shown_unit(const std::string& unit) { return unit == "us" ? "\u00b5s" : unit; }

// The figures as lines over their steps; none where a line would have one point.
std::string curves(const Figures& figures, const Group& group) {
  const std::string_view mark = group.before_step;
  if (mark.empty()) return "";
  Chart chart{group.chart, shown_unit(figures.front().unit), "", {}, {}};
  for (const auto& figure : figures) {
    const auto at = figure.name.rfind(mark);
    if (at == std::string::npos) return "";
    const auto step = figure.name.substr(at + mark.size());
    // "fp32, 1024 x 1024 x 1024": the line is what comes first.
    const auto name =
        mark == " " ? figure.name.substr(0, figure.name.find(',')) : figure.name.substr(0, at);
    auto place = std::find(chart.steps.begin(), chart.steps.end(), step);
    if (place == chart.steps.end()) place = chart.steps.insert(place, step);
    const auto x = static_cast<double>(place - chart.steps.begin());
    auto line = std::find_if(chart.lines.begin(), chart.lines.end(),
                             [&](const ChartLine& each) { return each.name == name; });
    if (line == chart.lines.end()) line = chart.lines.insert(line, {name, {}});
    line->points.emplace_back(x, figure.median);
  }
  return chart.steps.size() < 2 ? "" : svg_chart(chart);
}

// As long as its share of the longest of its unit, with a mark where the peak is.
std::string bar(const gpu::Figure& figure, double longest) {
  const auto share = [&](double value) { return longest > 0 ? 100 * value / longest : 0; };
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{} {}\">"
      "<rect class=\"frame\" width=\"100\" height=\"10\"/>"
      "<rect width=\"{:.2f}\" height=\"10\"/>",
      shown_figure(figure.median), html_escaped(shown_unit(figure.unit)), share(figure.median));
  if (figure.peak) {
    svg += fmt::format("<line x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"0\" y2=\"10\"/>",
                       std::min(share(*figure.peak), 99.5));
  }
  return svg + "</svg>";
}

std::string cell(const std::string& text) {
  return fmt::format("<td class=\"n\">{}</td>", html_escaped(text));
}

class GpuPage {
 public:
  GpuPage(const commands::MeasuredGpu& gpu, const EarlierFigures& earlier, SourceList& sources)
      : gpu_(gpu), earlier_(earlier), sources_(sources) {}

  std::string text() const {
    std::string html = fmt::format("<h2>GPU {}: {}</h2>\n<dl class=\"facts\">", gpu_.number,
                                   html_escaped(gpu_.facts.name));
    for (const auto& [name, value] : gpu_.outcome.facts) {
      if (name == "gpu") continue;
      html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_escaped(fact_name(name)),
                          html_escaped(value));
    }
    html += fmt::format("</dl>\n<p class=\"faint\">{}</p>\n", html_escaped(gpu_.facts.uuid));
    std::vector<std::string> order;
    std::map<std::string, Figures> groups;
    for (const auto& figure : gpu_.outcome.figures) {
      if (groups[figure.group].empty()) order.push_back(figure.group);
      groups[figure.group].push_back(figure);
    }
    for (const auto& name : order) {
      const auto group = group_of(name);
      html += fmt::format("<h3>{}</h3>\n{}{}", html_escaped(group.heading),
                          curves(groups[name], group), rows(groups[name]));
    }
    return html + failures();
  }

 private:
  std::string rows(const Figures& figures) const {
    // Only lengths of the same unit can be compared.
    std::map<std::string, double> longest;
    bool peaks = false;
    bool baselines = false;
    for (const auto& figure : figures) {
      auto& most = longest[figure.unit];
      most = std::max({most, figure.median, figure.peak.value_or(0)});
      peaks = peaks || figure.peak;
      baselines = baselines || (gpu_.board && !gpu_.board->of(figure.name, figure.unit).empty());
    }
    std::string html =
        "<div class=\"scroll\"><table>\n<thead><tr><th></th><th></th><th class=\"n\">median</th>"
        "<th class=\"n\">quartiles</th>";
    if (peaks) html += "<th class=\"n\">of the peak</th>";
    if (!earlier_.empty()) html += "<th class=\"n\">of the earlier run</th>";
    if (baselines) {
      html += fmt::format("<th class=\"n\">of {}</th>", html_escaped(gpu_.board->board.name));
    }
    html += "</tr></thead>\n<tbody>\n";
    for (const auto& figure : figures) {
      html += fmt::format("<tr><td>{}</td><td class=\"bar\">{}</td>", html_escaped(figure.name),
                          bar(figure, longest[figure.unit]));
      html += cell(shown_figure(figure.median) + " " + shown_unit(figure.unit)) +
              cell(shown_figure(figure.low) + " to " + shown_figure(figure.high));
      if (peaks) html += cell(peak_share(figure));
      if (!earlier_.empty()) html += cell(earlier_share(figure, gpu_.number, earlier_));
      if (baselines) html += cell(baseline_text(gpu_, figure, sources_));
      html += "</tr>\n";
    }
    return html + "</tbody>\n</table></div>\n";
  }

  // What was not measured, and why.
  std::string failures() const {
    std::string html;
    for (const auto& check : gpu_.outcome.checks) {
      if (!check.failure && check.verdict != Verdict::skipped) continue;
      html += fmt::format("<li class=\"{}\">{}: {}</li>\n", check.failure ? "error" : "faint",
                          html_escaped(check.name),
                          html_escaped(check.failure ? check.failure->what : check.detail));
    }
    return html.empty() ? html : "<h3>Not measured</h3>\n<ul>\n" + html + "</ul>\n";
  }

  const commands::MeasuredGpu& gpu_;
  const EarlierFigures& earlier_;
  SourceList& sources_;
};

std::string sources_html(const SourceList& sources) {
  if (sources.all().empty()) return "";
  std::string html = "<h2>Sources</h2>\n<ol class=\"sources\">\n";
  for (const auto& source : sources.all()) {
    html += fmt::format("<li>{}</li>\n", html_escaped(source));
  }
  return html + "</ol>\n";
}

}  // namespace

std::string bench_html(const commands::BenchResult& result, const EarlierFigures& earlier) {
  std::string body = fmt::format(
      "<h1>GPU benchmark</h1>\n<p class=\"faint\">Measured at {}{}. Medians of several rounds "
      "after "
      "a warm-up. Bars compare figures of one table; a line across one marks the peak.</p>\n",
      html_time(result.measured_at),
      result.toolkit ? " with " + html_escaped(result.toolkit->path.string()) : std::string());
  SourceList sources;
  for (const auto& gpu : result.gpus) body += GpuPage(gpu, earlier, sources).text();
  return html_page("cudaenv bench", std::string(chart_style) + std::string(page_style),
                   body + sources_html(sources));
}

}  // namespace cudaenv::cli
