#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace cudaenv {

// The candidate that `word` was most likely meant to be, by edit distance; nothing where none
// is close. Used for mistyped commands, versions and components alike.
std::optional<std::string> suggest(std::string_view word,
                                   const std::vector<std::string>& candidates);

// The error with what to type against a mistyped word: "did you mean `...`?" where a candidate is
// close, else `otherwise`.
Error with_suggestion(Error error, std::string_view word,
                      const std::vector<std::string>& candidates, std::string otherwise);

}  // namespace cudaenv
