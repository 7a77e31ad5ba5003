#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudaenv {

// The candidate that `word` was most likely meant to be, by edit distance; nothing where none
// is close. Used for mistyped commands, versions and components alike.
std::optional<std::string> suggest(std::string_view word,
                                   const std::vector<std::string>& candidates);

}  // namespace cudaenv
