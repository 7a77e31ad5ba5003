#include "compat/suits.hpp"

#include <algorithm>

namespace cudaenv::compat {
namespace {

Suitability of_row(const Tables& tables, const FrameworkRow& row,
                   const InstalledToolkit& installed) {
  auto result = Suitability::made_for;
  if (row.cuda && !row.cuda->accepts(installed.cuda)) {
    // What brings its own CUDA takes a toolkit of just that, to build extensions.
    if (row.shipped == Shipped::bundled) return Suitability::none;
    Surroundings only_toolkit;
    only_toolkit.toolkit = installed.cuda;
    if (worst(judge_row(tables, row, only_toolkit)) == Severity::error) return Suitability::none;
    result = Suitability::works;
  }
  if (!installed.judges_cudnn || !row.cudnn || row.shipped == Shipped::bundled) return result;
  const bool fits = installed.cudnn && row.cudnn->accepts(*installed.cudnn);
  return fits ? result : Suitability::works;
}

}  // namespace

Suitability suitability(const Tables& tables, const FrameworkWish& wish,
                        const InstalledToolkit& installed) {
  const auto rows = rows_for(tables, wish);
  const bool packaged = std::any_of(
      rows.begin(), rows.end(), [](const auto* row) { return row->shipped != Shipped::source; });
  auto best = Suitability::none;
  for (const auto* row : rows) {
    const auto suits = of_row(tables, *row, installed);
    if (!packaged || row->shipped != Shipped::source) {
      best = std::max(best, suits);
    } else if (suits == Suitability::made_for) {
      // Somebody builds it himself with just that release, beside the packages that there are.
      best = std::max(best, Suitability::works);
    }
  }
  return best;
}

}  // namespace cudaenv::compat
