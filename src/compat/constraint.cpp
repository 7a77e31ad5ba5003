#include "compat/constraint.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace cudaenv::compat {
namespace {

using Relation = Bound::Relation;

// The longer signs first: "<=" begins with "<".
constexpr std::array<std::pair<std::string_view, Relation>, 6> signs{{
    {">=", Relation::greater_equal},
    {"<=", Relation::less_equal},
    {"==", Relation::equal},
    {"!=", Relation::not_equal},
    {">", Relation::greater},
    {"<", Relation::less},
}};

std::optional<Bound> parse_bound(std::string_view text) {
  // Without a sign a version means itself and all that begin so.
  Relation relation = Relation::equal;
  for (const auto& [sign, meaning] : signs) {
    if (!text.starts_with(sign)) continue;
    relation = meaning;
    text.remove_prefix(sign.size());
    break;
  }
  const auto version = Version::parse(text);
  if (!version) return std::nullopt;
  return Bound{relation, *version};
}

std::string words_of(const Bound& bound) {
  const std::string& version = bound.version.text();
  switch (bound.relation) {
    case Relation::less:
      return "before " + version;
    case Relation::less_equal:
      return "up to " + version;
    case Relation::equal:
      return version;
    case Relation::not_equal:
      return "not " + version;
    case Relation::greater_equal:
      return version + " or later";
    case Relation::greater:
      return "later than " + version;
  }
  return version;
}

}  // namespace

std::optional<Constraint> Constraint::parse(std::string_view text) {
  Constraint result;
  result.text_ = std::string(text);
  for (const auto alternative : text::split(text, '|')) {
    std::vector<Bound> bounds;
    for (const auto part : text::split(alternative, ',')) {
      auto bound = parse_bound(part);
      if (!bound) return std::nullopt;
      bounds.push_back(std::move(*bound));
    }
    result.alternatives_.push_back(std::move(bounds));
  }
  return result;
}

bool Constraint::accepts(const Version& version) const {
  return std::any_of(alternatives_.begin(), alternatives_.end(), [&](const auto& bounds) {
    return std::all_of(bounds.begin(), bounds.end(),
                       [&](const Bound& bound) { return bound.accepts(version); });
  });
}

std::string Constraint::words() const {
  std::vector<std::string> alternatives;
  for (const auto& bounds : alternatives_) {
    // ">=3.8,<=3.11" is how tables write what people call 3.8 to 3.11.
    if (bounds.size() == 2 && bounds[0].relation == Relation::greater_equal &&
        bounds[1].relation == Relation::less_equal) {
      alternatives.push_back(bounds[0].version.text() + " to " + bounds[1].version.text());
      continue;
    }
    std::vector<std::string> parts;
    for (const auto& bound : bounds) parts.push_back(words_of(bound));
    alternatives.push_back(text::join(parts, ", "));
  }
  return text::join(alternatives, " or ");
}

}  // namespace cudaenv::compat
