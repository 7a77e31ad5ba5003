#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

// Where a row that is read goes among those that are there.
namespace cudaenv::compat {

// Puts a row where its key belongs: in place of one with the same key, else in ascending order.
template <typename Row, typename Less>
void place(std::vector<Row>& rows, Row row, Less less) {
  const auto at = std::lower_bound(rows.begin(), rows.end(), row, less);
  if (at != rows.end() && !less(row, *at)) {
    *at = std::move(row);
  } else {
    rows.insert(at, std::move(row));
  }
}

// The same for rows whose order is that of their text: new ones come first, because newer and local
// tables know better.
template <typename Row, typename Same>
void place_as_written(std::vector<Row>& rows, std::size_t& fresh, Row row, Same same) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const Row& each) { return same(each, row); });
  if (at != rows.end()) {
    *at = std::move(row);
  } else {
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(fresh++), std::move(row));
  }
}

}  // namespace cudaenv::compat
