#include "model/facts.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv {

std::optional<ComputeCapability> ComputeCapability::parse(std::string_view text) {
  if (const auto dot = text.find('.'); dot != std::string_view::npos) {
    const auto version = Version::parse(text);
    if (!version || version->parts().size() != 2 || version->minor() > 9) return std::nullopt;
    return ComputeCapability{version->major(), version->minor()};
  }
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (!text.starts_with(prefix)) continue;
    text.remove_prefix(prefix.size());
    // Architecture- and family-specific code has a letter behind: sm_90a, sm_100f.
    if (text.ends_with('a') || text.ends_with('f')) text.remove_suffix(1);
    const auto number = Version::parse(text);
    if (!number || number->parts().size() != 1 || number->major() < 10) return std::nullopt;
    return ComputeCapability{number->major() / 10, number->major() % 10};
  }
  return std::nullopt;
}

std::string ComputeCapability::text() const { return fmt::format("{}.{}", major, minor); }

std::string ComputeCapability::sm() const { return fmt::format("sm_{}{}", major, minor); }

}  // namespace cudaenv
