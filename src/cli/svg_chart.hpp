#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudaenv::cli {

// A line of a chart: points in the order of x; it is broken where y is not known.
struct ChartLine {
  std::string name;
  std::vector<std::pair<double, std::optional<double>>> points;
};

struct Chart {
  std::string title;
  std::string unit;              // of y, "%"
  std::string x_unit;            // "s"
  std::optional<double> most_y;  // nothing: as high as the highest point
  std::vector<ChartLine> lines;  // those without a known point are left out
  // What stands at x = 0, 1, 2, ..., where x is no quantity; then points are marked too.
  std::vector<std::string> steps = {};
};

// An <svg> with axes, lines in different colours and a legend, in an element in which it scrolls
// where the window is narrow. Empty where no line has a point.
std::string svg_chart(const Chart& chart);

// CSS for pages with such charts, beside that of html_page(), whose colours they take.
extern const std::string_view chart_style;

}  // namespace cudaenv::cli
