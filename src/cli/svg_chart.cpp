#include "cli/svg_chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/html.hpp"

namespace cudaenv::cli {
namespace {

// In units of the picture, which grows with the page.
constexpr double width = 900;
constexpr double plot_height = 136;
constexpr double left = 56;   // a number of six digits
constexpr double right = 32;  // half of the last mark
constexpr double row = 18;    // of the title and the legend
constexpr double bottom = 24;
constexpr double letter = 7;        // a generous mean
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
  double top = 0;

  double x(double value) const { return left + value / most_x * (width - left - right); }
  double y(double value) const {
    const double share = std::clamp(value / most_y, 0.0, 1.0);
    return base() - share * plot_height;
  }
  double base() const { return top + plot_height; }
};

Frame frame_of(const Chart& chart) {
  Frame frame{0, 0, 0};
  for (const auto& line : chart.lines) {
    for (const auto& [x, y] : line.points) {
      frame.most_x = std::max(frame.most_x, x);
      frame.most_y = std::max(frame.most_y, y.value_or(0));
    }
  }
  if (!chart.steps.empty()) frame.most_x = static_cast<double>(chart.steps.size()) - 1;
  if (frame.most_x <= 0) frame.most_x = 1;
  frame.most_y = chart.most_y.value_or(round_up(frame.most_y));
  return frame;
}

std::string shown_number(double value) {
  return value < 1e5 ? fmt::format("{:.6g}", value) : fmt::format("{:.0f}", value);
}

std::string title_of(const Chart& chart) {
  return chart.unit.empty() ? chart.title : chart.title + ", " + chart.unit;
}

// Seconds as a clock shows them where there are many: "1:30", "1:02:00".
std::string shown_x(double value, double most, const std::string& unit) {
  if (unit != "s" || most < 120) return shown_number(value) + (unit.empty() ? "" : " " + unit);
  const auto seconds = static_cast<long>(std::lround(value));
  const auto below_hour = fmt::format("{:02}:{:02}", seconds / 60 % 60, seconds % 60);
  return most < 3600 ? fmt::format("{}:{:02}", seconds / 60, seconds % 60)
                     : fmt::format("{}:{}", seconds / 3600, below_hour);
}

// A round distance that gives at most six marks; of seconds such as clocks have.
double mark_distance(double most, const std::string& unit) {
  if (unit == "s") {
    for (const double step : {5., 10., 15., 30., 60., 120., 300., 600., 900., 1800., 3600.}) {
      if (most >= 15 && most <= 6 * step) return step;
    }
  }
  return round_up(most / 6);
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     html_escaped(text));
}

std::string grid(const Frame& frame, const Chart& chart) {
  std::string text;
  for (int i = 0; i <= 2; ++i) {
    const double value = frame.most_y * i / 2;
    const double y = frame.y(value);
    text += fmt::format(R"(<line class="grid" x1="{0}" y1="{2:.1f}" x2="{1}" y2="{2:.1f}"/>)", left,
                        width - right, y);
    text += text_at(left - 8, y + 4, "end", shown_number(value));
  }
  const double low = frame.base() + bottom - 6;
  for (std::size_t i = 0; i < chart.steps.size(); ++i) {
    text += text_at(frame.x(static_cast<double>(i)), low, "middle", chart.steps[i]);
  }
  if (!chart.steps.empty()) return text;
  const double distance = mark_distance(frame.most_x, chart.x_unit);
  for (int i = 0; i * distance <= frame.most_x * (1 + 1e-9); ++i) {
    text += text_at(frame.x(i * distance), low, "middle",
                    shown_x(i * distance, frame.most_x, chart.x_unit));
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

// A colour that comes again is dashed.
std::string line_class(std::size_t line) {
  return fmt::format("c{}{}", line % colours, line < colours ? "" : " again");
}

// Where a line has no neighbours there is nothing to see of it but its points.
std::string marks_of(const ChartLine& line, const Frame& frame, std::size_t number) {
  std::string marks;
  for (const auto& [x, y] : line.points) {
    if (!y) continue;
    marks += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>",
                         line_class(number), frame.x(x), frame.y(*y));
  }
  return marks.empty() ? marks : marks + "\n";
}

// The lines' names after the title, in as many rows as they need; the frame begins below them.
std::string legend_of(const Chart& chart, const std::vector<const ChartLine*>& drawn,
                      Frame& frame) {
  const auto long_as = [](const std::string& text) {
    return letter * static_cast<double>(text.size());
  };
  std::string text;
  double x = left + 1.1 * long_as(title_of(chart)) + 24;
  double y = row;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const auto& name = drawn[i]->name;
    if (x + 24 + long_as(name) > width) {
      x = left;
      y += row;
    }
    text += fmt::format("<path class=\"{}\" d=\"M{:.0f} {:.0f}h16\"/>", line_class(i), x, y - 4);
    text += text_at(x + 22, y, "start", name);
    x += 22 + long_as(name) + 24;
  }
  frame.top = y + 12;
  return text;
}

}  // namespace

const std::string_view chart_style = R"(
.chart { display: block; width: 100%; min-width: 42rem; height: auto;
  font: 12px system-ui, sans-serif; margin: .5rem 0 1rem; }
.chart text { fill: var(--faint); } .chart .title { fill: var(--ink); font-weight: 600; }
.chart .grid { stroke: var(--line); stroke-width: 1; }
.chart path { fill: none; stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }
.c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); }
.c3 { stroke: var(--c3); } .c4 { stroke: var(--c4); } .c5 { stroke: var(--c5); }
.again { stroke-dasharray: 6 4; }
.chart circle { fill: var(--paper); stroke-width: 1.5; }
)";

std::string svg_chart(const Chart& chart) {
  std::vector<const ChartLine*> drawn;
  for (const auto& line : chart.lines) {
    if (is_drawn(line)) drawn.push_back(&line);
  }
  if (drawn.empty()) return "";
  Frame frame = frame_of(chart);
  const std::string legend = legend_of(chart, drawn, frame);
  std::string lines;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    lines +=
        fmt::format("<path class=\"{}\" d=\"{}\"/>\n", line_class(i), path_of(*drawn[i], frame));
    if (!chart.steps.empty()) lines += marks_of(*drawn[i], frame, i);
  }
  return fmt::format(
      "<div class=\"scroll\"><svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\">\n<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>\n{}{}{}</svg></div>\n",
      width, frame.base() + bottom, html_escaped(chart.title), left, row,
      html_escaped(title_of(chart)), legend, grid(frame, chart), lines);
}

}  // namespace cudaenv::cli
