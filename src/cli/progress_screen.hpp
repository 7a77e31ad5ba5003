#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/style.hpp"

namespace cudaenv::cli {

// One archive as the display knows it.
struct ShownItem {
  enum class Stage { waiting, fetching, retrying, fetched, unpacking, done };
  std::string name;
  Stage stage = Stage::waiting;
  std::uint64_t total = 0;  // bytes of the archive; 0: unknown
  std::uint64_t fetched = 0;
  std::uint64_t unpacked = 0;  // packed bytes read
  std::string detail;          // why it is tried again
};

// What the display shows, as a value.
struct Screen {
  std::vector<ShownItem> items;
  std::uint64_t fetch_total = 0;
  double rate = 0;  // bytes a second, smoothed
  std::chrono::milliseconds elapsed{0};
  std::string step;    // "putting 5120 files together"
  unsigned frame = 0;  // of the spinner
};

// The lines to draw: at most `height` of them, each narrower than `width` columns. The items under
// way, then a line that sums up: archives done, bytes, rate, time left. Pure.
std::vector<std::string> render(const Screen& screen, unsigned width, unsigned height,
                                const Style& style);

// "0:07", "12:34", "1:02:03".
std::string clock_text(std::chrono::seconds duration);

}  // namespace cudaenv::cli
