#include "cli/svg_chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/html.hpp"

namespace cudaenv::cli {
namespace {

// In units of the picture, which grows with the page.
constexpr double width = 900;
constexpr double height = 190;
constexpr double left = 60;
constexpr double right = 12;
constexpr double top = 30;
constexpr double bottom = 24;
constexpr std::size_t colours = 6;  // that chart_style has
constexpr std::size_t most_points = 1200;

bool is_drawn(const ChartLine& line) {
  return std::any_of(line.points.begin(), line.points.end(),
                     [](const auto& point) { return point.second.has_value(); });
}

// 1, 2 or 5 times a power of ten, not below the value.
double round_up(double value) {
  if (value <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (value <= step * power * (1 + 1e-9)) return step * power;
  }
  return 10 * power;
}

struct Frame {
  double most_x = 1;
  double most_y = 1;

  double x(double value) const { return left + value / most_x * (width - left - right); }
  double y(double value) const {
    const double share = std::clamp(value / most_y, 0.0, 1.0);
    return height - bottom - share * (height - top - bottom);
  }
};

Frame frame_of(const Chart& chart) {
  Frame frame{0, 0};
  for (const auto& line : chart.lines) {
    for (const auto& [x, y] : line.points) {
      frame.most_x = std::max(frame.most_x, x);
      frame.most_y = std::max(frame.most_y, y.value_or(0));
    }
  }
  if (frame.most_x <= 0) frame.most_x = 1;
  frame.most_y = chart.most_y.value_or(round_up(frame.most_y));
  return frame;
}

std::string grid(const Frame& frame, const Chart& chart) {
  std::string text;
  for (int i = 0; i <= 2; ++i) {
    const double value = frame.most_y * i / 2;
    const double y = frame.y(value);
    text += fmt::format(R"(<line class="grid" x1="{0}" y1="{2:.1f}" x2="{1}" y2="{2:.1f}"/>)"
                        R"(<text x="{3}" y="{4:.1f}" text-anchor="end">{5:.3g} {6}</text>)"
                        "\n",
                        left, width - right, y, left - 6, y + 4, value, html_escaped(chart.unit));
  }
  for (int i = 0; i <= 4; ++i) {
    const double value = frame.most_x * i / 4;
    text += fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="{}">{:.3g} {}</text>)"
                        "\n",
                        frame.x(value), height - 6, i == 4 ? "end" : "middle", value,
                        html_escaped(chart.x_unit));
  }
  return text;
}

// Where there are more points than a screen has columns, the mean of neighbours.
std::string path_of(const ChartLine& line, const Frame& frame) {
  const std::size_t group = (line.points.size() + most_points - 1) / most_points;
  std::string path;
  bool pen_down = false;
  for (std::size_t i = 0; i < line.points.size(); i += group) {
    double sum = 0;
    std::size_t known = 0;
    const std::size_t end = std::min(line.points.size(), i + group);
    for (std::size_t j = i; j < end; ++j) {
      if (!line.points[j].second) continue;
      sum += *line.points[j].second;
      ++known;
    }
    if (known > 0) {
      path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", frame.x(line.points[i].first),
                          frame.y(sum / static_cast<double>(known)));
    }
    pen_down = known > 0;
  }
  return path;
}

}  // namespace

const std::string_view chart_style = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --faint: #8a8f98; --paper: #fff;
  --c0: #1f77b4; --c1: #d9542b; --c2: #2c9f45; --c3: #8e5bb5; --c4: #b8860b; --c5: #c2418f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --faint: #7d838c; --paper: #17191c;
  --c0: #6cb6f0; --c1: #ff8c66; --c2: #67d07f; --c3: #c49be6; --c4: #e3bb4e; --c5: #f086c3; } }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--faint); } svg .title { fill: var(--ink); font-weight: 600; }
svg .grid { stroke: var(--faint); stroke-width: .3; }
svg path { fill: none; stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }
.c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); }
.c3 { stroke: var(--c3); } .c4 { stroke: var(--c4); } .c5 { stroke: var(--c5); }
)";

std::string svg_chart(const Chart& chart) {
  const Frame frame = frame_of(chart);
  std::string lines;
  double legend = left + 8.0 * static_cast<double>(chart.title.size()) + 24;
  std::size_t drawn = 0;
  for (const auto& line : chart.lines) {
    if (!is_drawn(line)) continue;
    const std::size_t colour = drawn++ % colours;
    lines += fmt::format(R"(<path class="c{}" d="{}"/>)"
                         "\n",
                         colour, path_of(line, frame));
    lines += fmt::format(R"(<path class="c{}" d="M{:.0f} 14h16"/><text x="{:.0f}" y="18">{}</text>)"
                         "\n",
                         colour, legend, legend + 22, html_escaped(line.name));
    legend += 8.0 * static_cast<double>(line.name.size()) + 44;
  }
  if (drawn == 0) return "";
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n"
      "<text class=\"title\" x=\"{}\" y=\"18\">{}</text>\n{}{}</svg>\n",
      width, height, html_escaped(chart.title), left, html_escaped(chart.title), grid(frame, chart),
      lines);
}

}  // namespace cudaenv::cli
