#include "base/suggest.hpp"

#include <algorithm>
#include <numeric>

namespace cudaenv {
namespace {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> suggest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  // Foreign text can be long; nobody mistypes more than this.
  if (word.empty() || word.size() > 64) return std::nullopt;
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  const std::string* best = nullptr;
  std::size_t best_distance = limit + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (!best) return std::nullopt;
  return *best;
}

Error with_suggestion(Error error, std::string_view word,
                      const std::vector<std::string>& candidates, std::string otherwise) {
  const auto close = suggest(word, candidates);
  return std::move(error).help(close ? "did you mean `" + *close + "`?" : std::move(otherwise));
}

}  // namespace cudaenv
