#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compat/tables.hpp"

// What is known to hold a benchmark's figures against.
namespace cudaenv::compat {

struct Baseline {
  enum class Kind { peak, measured };
  Kind kind;
  double value;  // in the figure's unit
  std::string source;
};
std::string_view name_of(Baseline::Kind kind);

// A board with what was seen of it.
struct BoardFigures {
  BoardRow board;
  std::vector<MeasuredRow> measured;

  // For a figure of `cudaenv bench`, by its name and unit: the board's peak, then what such a board
  // reached; none where neither is known.
  std::vector<Baseline> of(std::string_view figure, std::string_view unit) const;
};

// All boards, or those whose names have the words of `asked`; one of exactly that name alone.
std::vector<BoardFigures> boards_like(const Tables& tables, std::string_view asked);

// What a link of this generation carries in one direction, in GB/s; nothing for other generations
// than 1 to 5, which count otherwise.
std::optional<double> pcie_rate(unsigned generation, unsigned lanes);

}  // namespace cudaenv::compat
