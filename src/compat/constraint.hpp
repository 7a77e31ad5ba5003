#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec.hpp"
#include "model/version.hpp"

namespace cudaenv::compat {

// Which versions a table's row speaks of: "11.8", ">=12.1,<13", "11.8|12.1|>=12.4,<13". A version
// alone means it and all that begin so. One that exists is well formed.
class Constraint {
 public:
  // Nothing for what is not well formed, blanks included.
  static std::optional<Constraint> parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool accepts(const Version& version) const;

  // The bounds, alternative by alternative; each has one at least.
  const std::vector<std::vector<Bound>>& alternatives() const { return alternatives_; }

  // In words: "11.8", "12.1 or later, before 13", with "or" between alternatives.
  std::string words() const;

  bool operator==(const Constraint& other) const { return text_ == other.text_; }

 private:
  Constraint() = default;
  std::string text_;
  std::vector<std::vector<Bound>> alternatives_;
};

}  // namespace cudaenv::compat
