#include "cli/fitted.hpp"

#include <algorithm>

#include "cli/table.hpp"

namespace cudaenv::cli {
namespace {

// Whether the byte goes on with a UTF-8 character.
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80; }

}  // namespace

std::string fitted(const std::string& text, std::size_t width) {
  const std::size_t shown = shown_width(text);
  if (shown <= width) return text + std::string(width - shown, ' ');
  if (width == 0) return "";
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    if (!continues_character(text[end]) && columns++ == width - 1) break;
  }
  return text.substr(0, end) + "…";
}

FittedLine& FittedLine::add(const std::string& text, Paint paint) {
  return column(text, shown_width(text), paint);
}

FittedLine& FittedLine::column(const std::string& text, std::size_t width, Paint paint) {
  if (room_ == 0) return *this;
  const std::string piece = fitted(text, std::min(width, room_));
  room_ -= shown_width(piece);
  text_ += paint ? (style_.*paint)(piece) : piece;
  return *this;
}

}  // namespace cudaenv::cli
