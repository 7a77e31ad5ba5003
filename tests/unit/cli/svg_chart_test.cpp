#include "cli/svg_chart.hpp"

#include <doctest/doctest.h>

using namespace cudaenv;
using cli::Chart;
using cli::svg_chart;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool has(const std::string& text, const std::string& part) { return count(text, part) > 0; }

}  // namespace

TEST_CASE("a chart without a known point is none") {
  CHECK(svg_chart({"Load", "%", "s", 100, {}}) == "");
  CHECK(svg_chart({"Load", "%", "s", 100, {{"a", {{0, std::nullopt}, {1, std::nullopt}}}}}) == "");
}

TEST_CASE("a line is broken where a value is not known, and drawn to scale") {
  const auto text = svg_chart(
      {"Load", "%", "s", 100, {{"a", {{0, 0.0}, {1, 100.0}, {2, std::nullopt}, {4, 50.0}}}}});
  // 900 x 190 with margins of 56, 32, 30 and 24.
  CHECK(has(text, "d=\"M56.0 166.0L259.0 30.0M868.0 98.0\""));
}

TEST_CASE("without a given height the axis ends at a round number above the highest point") {
  CHECK(has(svg_chart({"P", "W", "s", {}, {{"a", {{0, 3.0}, {1, 430.0}}}}}), ">500<"));
  CHECK(has(svg_chart({"P", "W", "s", {}, {{"a", {{0, 0.0}, {1, 0.0}}}}}), ">1<"));
}

TEST_CASE("names are text, not markup") {
  const auto text = svg_chart({"a <b> & \"c\"", "<", "s", {}, {{"<script>", {{0, 1.0}}}}});
  CHECK_FALSE(has(text, "<script>"));
  CHECK(has(text, ">a &lt;b&gt; &amp; &quot;c&quot;, &lt;<"));
  CHECK(has(text, "aria-label=\"a &lt;b&gt; &amp; &quot;c&quot;\""));
}

TEST_CASE("a long run is drawn with as many points as a screen can show") {
  cli::ChartLine line{"a", {}};
  for (int i = 0; i < 100'000; ++i) line.points.emplace_back(i, i % 2 * 100.0);
  const auto text = svg_chart({"Load", "%", "s", 100, {line}});
  CHECK(count(text, "L") < 1300);
  CHECK(count(text, "L") > 600);
}

TEST_CASE("long times are told as clocks do, large values in full") {
  const auto text = svg_chart({"Clock", "MHz", "s", {}, {{"a", {{0, 1.0}, {5400, 1980.0}}}}});
  CHECK(has(text, ">1:00:00<"));
  CHECK(has(text, ">1:30:00<"));
  CHECK(has(text, ">2000<"));
  CHECK(has(text, ">Clock, MHz<"));
  CHECK(has(svg_chart({"a", "", "s", {}, {{"a", {{0, 1.0}, {150, 1.0}}}}}), ">2:30<"));
  CHECK(has(svg_chart({"a", "", "s", {}, {{"a", {{0, 1.0}, {30, 1.0}}}}}), ">25 s<"));
}

TEST_CASE(
    "a legend that is too long for a row makes the chart higher, and colours that come again "
    "are dashed") {
  Chart chart{"GPU load", "%", "s", 100, {}};
  for (int i = 0; i < 8; ++i) {
    chart.lines.push_back({"GPU " + std::to_string(i) + " multiprocessors", {{0, 1.0}, {1, 2.0}}});
  }
  const auto text = svg_chart(chart);
  CHECK(has(text, "viewBox=\"0 0 900 226\""));
  CHECK(count(text, "class=\"c1\"") == 2);
  CHECK(count(text, "class=\"c1 again\"") == 2);
}

TEST_CASE("steps are marked one by one, and each point is") {
  const auto text = svg_chart(
      {"By batch", "x", "", {}, {{"a", {{0, 1.0}, {1, 2.0}, {2, 4.0}}}}, {"16", "256", "4096"}});
  CHECK(has(text, ">4096<"));
  CHECK(has(text, "x=\"462.0\""));
  CHECK(count(text, "<circle") == 3);
}
