#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compat/tables.hpp"

namespace cudaenv::compat {

// The fields of one line of a table, taken in order. Each call takes one and throws Error(corrupt),
// which names the text, the line and `what`, where the field is missing or not what it should be.
class RowReader {
 public:
  RowReader(std::string_view line, std::string_view where, std::size_t number);

  std::string text(std::string_view what);  // fit to show; may be empty
  std::string needed(std::string_view what);
  std::string plain_name(std::string_view what);  // letters, digits, '.', '_', '+', '-'
  std::string one_of(std::string_view what, std::initializer_list<std::string_view> known);
  std::string date(std::string_view what);  // "2026", "2026-11", "2026-11-30" or empty
  unsigned number(std::string_view what);
  std::optional<unsigned> maybe_number(std::string_view what);
  double decimal(std::string_view what);  // above 0
  std::optional<double> maybe_decimal(std::string_view what);
  Version version(std::string_view what);
  std::optional<Version> maybe_version(std::string_view what);
  ComputeCapability capability(std::string_view what);
  std::optional<ComputeCapability> maybe_capability(std::string_view what);
  Constraint constraint(std::string_view what);
  std::optional<Constraint> maybe_constraint(std::string_view what);
  Shipped shipped(std::string_view what);

  // Separated by commas; none in an empty field.
  std::vector<Version> versions(std::string_view what);
  std::vector<unsigned> numbers(std::string_view what);
  std::vector<ComputeCapability> capabilities(std::string_view what);
  std::vector<std::string> names(std::string_view what);  // plain ones

  // Separated by " || "; none in an empty field.
  std::vector<std::string> sentences(std::string_view what);

  // The fields at these places, counted from 0; the line has them.
  std::string key(const std::vector<std::size_t>& places) const;

  // Refuses a line that has more fields.
  void end() const;

  [[noreturn]] void refuse(std::string_view why) const;

 private:
  std::string_view take(std::string_view what);
  // Passes by a field that is there and empty.
  bool skip_empty();
  [[noreturn]] void refuse_field(std::string_view what, std::string_view text,
                                 std::string_view why) const;

  std::vector<std::string_view> fields_;
  std::size_t next_ = 0;
  std::string_view where_;
  std::size_t number_;
};

}  // namespace cudaenv::compat
