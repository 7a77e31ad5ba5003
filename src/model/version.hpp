#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudaenv {

// A dotted version such as "12.1.1", "13.3.4.3.1" or "2025.06.10". Compared number by number
// (13.10 > 13.9; 13.0 == 13.0.0 is false: the shorter one is less). The text is kept as it was
// written, because "2025.06.10" names another file than "2025.6.10".
class Version {
 public:
  // One to eight numbers of at most nine digits with dots between; nothing for anything else.
  static std::optional<Version> parse(std::string_view text);

  const std::string& text() const { return text_; }
  const std::vector<std::uint32_t>& parts() const { return parts_; }
  std::uint32_t major() const { return parts_[0]; }
  std::uint32_t minor() const { return parts_.size() > 1 ? parts_[1] : 0; }

  // The first `count` numbers (one at least): "12.1.105" -> "12.1".
  Version first(std::size_t count) const;

  // Whether this is `other` with more numbers after it, or the same: 12.1.1 matches 12.1 and 12.
  bool starts_with(const Version& other) const;

  std::strong_ordering operator<=>(const Version& other) const { return parts_ <=> other.parts_; }
  bool operator==(const Version& other) const { return parts_ == other.parts_; }

 private:
  Version() = default;
  std::string text_;
  std::vector<std::uint32_t> parts_;
};

}  // namespace cudaenv
