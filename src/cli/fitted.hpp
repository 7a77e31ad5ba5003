#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/style.hpp"

namespace cudaenv::cli {

// Exactly `width` columns of plain text: padded, or cut with "…" between two characters.
std::string fitted(const std::string& text, std::size_t width);

// Plain pieces beside each other, some of them in colour, that never grow wider than their room:
// the piece that does not fit is cut, and what comes after it is left out.
class FittedLine {
 public:
  using Paint = std::string (Style::*)(std::string_view) const;

  FittedLine(std::size_t room, const Style& style) : room_(room), style_(style) {}

  FittedLine& add(const std::string& text, Paint paint = nullptr);
  // Padded or cut to `width` columns.
  FittedLine& column(const std::string& text, std::size_t width, Paint paint = nullptr);
  std::size_t room() const { return room_; }
  const std::string& text() const { return text_; }

 private:
  std::size_t room_;  // columns that are left
  const Style& style_;
  std::string text_;
};

}  // namespace cudaenv::cli
