#include "model/version.hpp"

#include "base/text.hpp"

namespace cudaenv {
namespace {
constexpr std::size_t most_parts = 8;
constexpr std::size_t most_digits = 9;  // fits 32 bits
}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
  Version version;
  version.text_ = text;
  for (const auto part : text::split(text, '.')) {
    const auto number = text::parse_unsigned(part);
    if (!number || part.size() > most_digits) return std::nullopt;
    version.parts_.push_back(static_cast<std::uint32_t>(*number));
  }
  if (version.parts_.size() > most_parts) return std::nullopt;
  return version;
}

Version Version::first(std::size_t count) const {
  if (count >= parts_.size()) return *this;
  Version shorter;
  std::size_t end = 0;
  for (std::size_t i = 0; i < count; ++i) end = text_.find('.', end + (i > 0 ? 1 : 0));
  shorter.text_ = text_.substr(0, end);
  shorter.parts_.assign(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(count));
  return shorter;
}

bool Version::starts_with(const Version& other) const {
  if (other.parts_.size() > parts_.size()) return false;
  for (std::size_t i = 0; i < other.parts_.size(); ++i) {
    if (parts_[i] != other.parts_[i]) return false;
  }
  return true;
}

}  // namespace cudaenv
