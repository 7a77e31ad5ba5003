#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/style.hpp"
#include "gpu/monitor.hpp"

namespace cudaenv::cli {

// Shares of what is possible, 0 to 1, the newest last; nothing where it was not known.
using History = std::deque<std::optional<double>>;

// What the live view shows, as a value.
class GpuScreen {
 public:
  // Takes a look in; one in which the driver failed leaves the last figures, and `trouble` is
  // shown.
  void add(const gpu::Readings& readings, std::string_view time, std::string trouble);

  // The lines to draw: at most `height`, each narrower than `width` columns. Where not all fits,
  // processes go first, then each GPU shrinks to a line. Pure.
  std::vector<std::string> render(unsigned width, unsigned height, const Style& style) const;

 private:
  struct Histories {
    History busy;
    History memory;
    History power;
  };

  void remember(const GpuReading& gpu);
  std::vector<std::string> head(std::size_t room, const Style& style) const;
  void add_block(std::vector<std::string>& lines, const GpuReading& gpu, std::size_t room,
                 const Style& style) const;
  std::string short_line(const GpuReading& gpu, std::size_t room, const Style& style) const;

  gpu::Readings last_;
  std::string time_;
  std::string trouble_;
  std::map<unsigned, Histories> histories_;  // by the GPU's index
};

// "▁▃▇": a column for each of the newest values, "·" where one is not known; `width` at most.
std::string sparkline(const History& history, std::size_t width);

}  // namespace cudaenv::cli
