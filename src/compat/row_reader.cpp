#include "compat/row_reader.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::compat {
namespace {

// No table needs more, and an overlay is a stranger's text.
constexpr std::size_t longest_field = 1500;

// The pieces of a list; none of an empty text.
std::vector<std::string_view> pieces(std::string_view text) {
  if (text.empty()) return {};
  return text::split(text, ',');
}

bool is_date_or_part(std::string_view text) {
  constexpr std::string_view shape = "dddd-dd-dd";
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (shape[i] == 'd' ? !text::is_digit(text[i]) : text[i] != '-') return false;
  }
  return true;
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && text::is_alphanumeric(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return text::is_alphanumeric(c) || c == '.' || c == '_' || c == '+' || c == '-';
         });
}

std::optional<Shipped> parse_shipped(std::string_view word) {
  for (const auto each : {Shipped::bundled, Shipped::extra, Shipped::system, Shipped::source}) {
    if (name_of(each) == word) return each;
  }
  return std::nullopt;
}

}  // namespace

RowReader::RowReader(std::string_view line, std::string_view where, std::size_t number)
    : fields_(text::split(line, '\t')), where_(where), number_(number) {}

std::string_view RowReader::take(std::string_view what) {
  if (next_ == fields_.size()) refuse(fmt::format("the {} is missing", what));
  return fields_[next_++];
}

bool RowReader::skip_empty() {
  if (next_ == fields_.size() || !fields_[next_].empty()) return false;
  ++next_;
  return true;
}

std::string RowReader::text(std::string_view what) {
  const auto field = take(what);
  if (field.size() > longest_field) refuse(fmt::format("the {} is too long", what));
  if (text::visible(field, longest_field + 1) != field) {
    refuse(fmt::format("the {} is not fit to show", what));
  }
  return std::string(field);
}

std::string RowReader::needed(std::string_view what) {
  auto field = text(what);
  if (field.empty()) refuse(fmt::format("the {} is empty", what));
  return field;
}

std::string RowReader::plain_name(std::string_view what) {
  auto field = needed(what);
  if (!is_plain_name(field)) refuse_field(what, field, "a plain name");
  return field;
}

std::string RowReader::one_of(std::string_view what,
                              std::initializer_list<std::string_view> known) {
  auto field = text(what);
  if (std::find(known.begin(), known.end(), field) == known.end()) {
    refuse_field(what, field, fmt::format("one of {}", fmt::join(known, ", ")));
  }
  return field;
}

std::string RowReader::date(std::string_view what) {
  auto field = text(what);
  if (!field.empty() && !is_date_or_part(field)) refuse_field(what, field, "a date");
  return field;
}

unsigned RowReader::number(std::string_view what) {
  const auto field = take(what);
  const auto read = text::parse_unsigned(field);
  if (!read || *read > 9999) refuse_field(what, field, "a small number");
  return static_cast<unsigned>(*read);
}

std::optional<unsigned> RowReader::maybe_number(std::string_view what) {
  if (skip_empty()) return std::nullopt;
  return number(what);
}

double RowReader::decimal(std::string_view what) {
  const auto field = take(what);
  double read = 0;
  const auto [end, status] =
      std::from_chars(field.data(), field.data() + field.size(), read, std::chars_format::fixed);
  if (status != std::errc() || end != field.data() + field.size() || !(read > 0 && read < 1e6)) {
    refuse_field(what, field, "a number above 0");
  }
  return read;
}

std::optional<double> RowReader::maybe_decimal(std::string_view what) {
  if (skip_empty()) return std::nullopt;
  return decimal(what);
}

Version RowReader::version(std::string_view what) {
  const auto field = take(what);
  auto read = Version::parse(field);
  if (!read) refuse_field(what, field, "a version");
  return *read;
}

std::optional<Version> RowReader::maybe_version(std::string_view what) {
  if (skip_empty()) return std::nullopt;
  return version(what);
}

ComputeCapability RowReader::capability(std::string_view what) {
  const auto field = take(what);
  const auto read = ComputeCapability::parse(field);
  if (!read) refuse_field(what, field, "a compute capability");
  return *read;
}

std::optional<ComputeCapability> RowReader::maybe_capability(std::string_view what) {
  if (skip_empty()) return std::nullopt;
  return capability(what);
}

Constraint RowReader::constraint(std::string_view what) {
  const auto field = take(what);
  if (field.size() > longest_field) refuse(fmt::format("the {} is too long", what));
  auto read = Constraint::parse(field);
  if (!read) refuse_field(what, field, "a version or a range of versions");
  return *read;
}

std::optional<Constraint> RowReader::maybe_constraint(std::string_view what) {
  if (skip_empty()) return std::nullopt;
  return constraint(what);
}

Shipped RowReader::shipped(std::string_view what) {
  const auto field = take(what);
  const auto read = parse_shipped(field);
  if (!read) refuse_field(what, field, "one of bundled, extra, system, source");
  return *read;
}

std::vector<Version> RowReader::versions(std::string_view what) {
  std::vector<Version> result;
  for (const auto piece : pieces(take(what))) {
    auto read = Version::parse(piece);
    if (!read) refuse_field(what, piece, "a version");
    result.push_back(std::move(*read));
  }
  return result;
}

std::vector<unsigned> RowReader::numbers(std::string_view what) {
  std::vector<unsigned> result;
  for (const auto piece : pieces(take(what))) {
    const auto read = text::parse_unsigned(piece);
    if (!read || *read > 9999) refuse_field(what, piece, "a small number");
    result.push_back(static_cast<unsigned>(*read));
  }
  return result;
}

std::vector<ComputeCapability> RowReader::capabilities(std::string_view what) {
  std::vector<ComputeCapability> result;
  for (const auto piece : pieces(take(what))) {
    const auto read = ComputeCapability::parse(piece);
    if (!read) refuse_field(what, piece, "a compute capability");
    result.push_back(*read);
  }
  return result;
}

std::vector<std::string> RowReader::names(std::string_view what) {
  std::vector<std::string> result;
  for (const auto piece : pieces(take(what))) {
    if (!is_plain_name(piece)) refuse_field(what, piece, "a plain name");
    result.emplace_back(piece);
  }
  return result;
}

std::vector<std::string> RowReader::sentences(std::string_view what) {
  constexpr std::string_view between = " || ";
  std::vector<std::string> result;
  std::string rest = text(what);
  while (!rest.empty()) {
    const auto end = rest.find(between);
    const auto sentence = text::trimmed(std::string_view(rest).substr(0, end));
    if (sentence.empty()) refuse(fmt::format("one of the {} is empty", what));
    result.emplace_back(sentence);
    rest = end == std::string::npos ? std::string() : rest.substr(end + between.size());
  }
  return result;
}

std::string RowReader::key(const std::vector<std::size_t>& places) const {
  std::string result(fields_.at(0));
  for (const auto place : places) result.append("\t").append(fields_.at(place));
  return result;
}

void RowReader::end() const {
  if (next_ < fields_.size()) {
    refuse(fmt::format("it has {} fields, not {}", fields_.size(), next_));
  }
}

void RowReader::refuse(std::string_view why) const {
  throw Error(ErrorKind::corrupt, fmt::format("{} is damaged", text::visible(where_, 300)))
      .because(fmt::format("line {}: {}", number_, why));
}

void RowReader::refuse_field(std::string_view what, std::string_view text,
                             std::string_view why) const {
  refuse(fmt::format("the {} `{}` is not {}", what, text::visible(text, 60), why));
}

}  // namespace cudaenv::compat
