#include "cli/gpu_screen.hpp"

#include <doctest/doctest.h>

#include "cli/table.hpp"

using namespace cudaenv;
using cli::GpuScreen;
using cli::Style;

namespace {

GpuReading busy_gpu(unsigned index) {
  GpuReading gpu;
  gpu.index = index;
  gpu.facts.name = "NVIDIA H200";
  gpu.memory = GpuMemory{141ull << 30, 47ull << 30, 94ull << 30};
  gpu.utilization = 97;
  gpu.temperature = 61;
  gpu.power = 650'000;
  gpu.power_limit = 700'000;
  gpu.clock = 1830;
  gpu.most_clock = 1980;
  gpu.throttle = throttle::power_cap;
  gpu.processes = {{1234, "alice", "python3 train.py", 46ull << 30, std::nullopt, false}};
  return gpu;
}

gpu::Readings readings_of(unsigned count) {
  gpu::Readings readings;
  readings.end = gpu::LibraryProbe::End::answered;
  readings.driver = Version::parse("580.95.05");
  for (unsigned i = 0; i < count; ++i) readings.gpus.push_back(busy_gpu(i));
  return readings;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

std::string shown(const GpuScreen& screen, unsigned width = 100, unsigned height = 40) {
  return joined(screen.render(width, height, Style()));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a sparkline shows the newest values, and what is not known as a dot") {
  CHECK(cli::sparkline({0.0, 0.5, 1.0}, 10) == "▁▅█");
  CHECK(cli::sparkline({0.0, std::nullopt, 7.0, -1.0}, 3) == "·█▁");
  CHECK(cli::sparkline({}, 5) == "");
  CHECK(cli::sparkline({1.0}, 0) == "");
}

TEST_CASE("the view shows each figure, what holds the GPU back and who uses it") {
  GpuScreen screen;
  screen.add(readings_of(1), "15:00:00", "");
  screen.add(readings_of(1), "15:00:01", "");
  const auto text = shown(screen);
  for (const char* part : {"driver 580.95.05", "15:00:01", "GPU 0  NVIDIA H200", "61 C",
                           "1830 of 1980 MHz", "97 %", "47.0 of 141.0 GiB", "650 of 700 W", "▃▃",
                           "power cap", "1234 alice python3 train.py", "46.0 GiB"}) {
    CAPTURE(part);
    CHECK(has(text, part));
  }
}

TEST_CASE("what a chip does not have is N/A, never 0") {
  gpu::Readings readings = readings_of(1);
  readings.gpus[0] = GpuReading();
  GpuScreen screen;
  screen.add(readings, "now", "");
  const auto text = shown(screen);
  CHECK(has(text, "busy     N/A"));
  CHECK(has(text, "memory   N/A"));
  CHECK_FALSE(has(text, " 0 %"));
  CHECK_FALSE(has(text, "0.0"));
}

TEST_CASE("a GPU that is lost is said, and the others go on") {
  auto readings = readings_of(2);
  readings.gpus[0].lost = 15;
  GpuScreen screen;
  screen.add(readings, "now", "");
  const auto text = shown(screen);
  CHECK(has(text, "GPU 0  NVIDIA H200   it has fallen off the bus"));
  CHECK(has(text, "GPU 1  NVIDIA H200   61 C"));
}

TEST_CASE("when the driver fails the last figures stay, with what happened") {
  GpuScreen screen;
  screen.add(readings_of(1), "15:00:00", "");
  screen.add({}, "15:00:01", "the driver crashed in nvmlInit_v2");
  const auto text = shown(screen);
  CHECK(has(text, "the driver crashed in nvmlInit_v2; asked again"));
  CHECK(has(text, "650 of 700 W"));
}

TEST_CASE("whatever the terminal's size, no line is too wide and none too many") {
  GpuScreen screen;
  for (int i = 0; i < 200; ++i) screen.add(readings_of(8), "15:00:00", "");
  for (const unsigned width : {1u, 2u, 10u, 20u, 40u, 80u, 300u}) {
    for (const unsigned height : {1u, 2u, 5u, 9u, 24u, 60u}) {
      for (const bool colour : {false, true}) {
        const auto lines = screen.render(width, height, Style(colour));
        CHECK(lines.size() <= height);
        for (const auto& line : lines) CHECK(cli::shown_width(line) < width);
      }
    }
  }
}

TEST_CASE("where there is little room processes go first, then each GPU takes a line") {
  GpuScreen screen;
  screen.add(readings_of(2), "now", "");
  CHECK(has(shown(screen, 100, 13), "alice"));
  const auto without = shown(screen, 100, 12);
  CHECK_FALSE(has(without, "alice"));
  CHECK(has(without, "power cap"));
  const auto lines = screen.render(100, 5, Style());
  CHECK(lines.size() == 3);
  CHECK(has(lines[1], "  0 97 %"));
  CHECK(has(shown(screen, 100, 2), "… and 2 more"));
}
