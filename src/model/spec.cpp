#include "model/spec.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv {
namespace {

[[noreturn]] void refuse(std::string_view typed, std::string_view why) {
  throw Error(ErrorKind::usage, fmt::format("`{}` is not a version", text::visible(typed, 60)))
      .because(std::string(why))
      .help(
          "a version is `12`, `12.1`, `12.1.1`, `latest`, `auto`, a range such as `>=12.1,<13`, "
          "or the name of an installed prefix");
}

bool is_word(std::string_view text, std::string_view extra) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return text::is_alphanumeric(c) || extra.find(c) != std::string_view::npos;
  });
}

// Words that specs or the root's own links use.
bool is_reserved(std::string_view lower_case) {
  static constexpr std::array reserved{"latest", "newest", "stable", "auto", "system", "cuda"};
  return std::find(reserved.begin(), reserved.end(), lower_case) != reserved.end();
}

// Whether a number in it has a zero before another digit, as in "12.08".
bool has_leading_zero(std::string_view version) {
  for (const auto part : text::split(version, '.')) {
    if (part.size() > 1 && part[0] == '0') return true;
  }
  return false;
}

Version version_or_refuse(std::string_view version, std::string_view typed) {
  const auto parsed = Version::parse(version);
  if (!parsed)
    refuse(typed, fmt::format("`{}` is not numbers with dots between", text::visible(version, 60)));
  if (has_leading_zero(version)) {
    std::string meant;
    for (const auto number : parsed->parts()) {
      meant += fmt::format("{}{}", meant.empty() ? "" : ".", number);
    }
    refuse(typed, fmt::format("a number has a leading zero; did you mean `{}`?", meant));
  }
  return *parsed;
}

// "cuda-12.1", "CUDA 12.1", "v12" and "12.x" say the version in other words.
std::string_view without_decoration(std::string_view text) {
  const std::string lower = text::lower(text);
  const auto digit_after = [&](std::size_t length) {
    return text.size() > length && text[length] >= '0' && text[length] <= '9';
  };
  for (const std::string_view prefix :
       {"cuda-", "cuda_", "cuda@", "cuda ", "cuda==", "cuda=", "cuda", "v", "r"}) {
    if (lower.starts_with(prefix) && digit_after(prefix.size())) {
      text.remove_prefix(prefix.size());
      break;
    }
  }
  for (const std::string_view suffix : {".x", ".X", ".*"}) {
    if (text.ends_with(suffix)) text.remove_suffix(2);
  }
  return text;
}

Bound parse_bound(std::string_view text, std::string_view typed) {
  using Relation = Bound::Relation;
  static constexpr std::array<std::pair<std::string_view, Relation>, 7> spellings{{
      {">=", Relation::greater_equal},
      {"<=", Relation::less_equal},
      {"==", Relation::equal},
      {"!=", Relation::not_equal},
      {">", Relation::greater},
      {"<", Relation::less},
      {"=", Relation::equal},
  }};
  text = text::trimmed(text);
  for (const auto& [spelling, relation] : spellings) {
    if (!text.starts_with(spelling)) continue;
    const auto version = text::trimmed(text.substr(spelling.size()));
    return {relation, version_or_refuse(without_decoration(version), typed)};
  }
  refuse(typed, fmt::format("`{}` in it lacks one of < <= == != >= >", text::visible(text, 60)));
}

}  // namespace

bool Bound::accepts(const Version& candidate) const {
  const auto order = candidate.first(version.parts().size()) <=> version;
  switch (relation) {
    case Relation::less:
      return order < 0;
    case Relation::less_equal:
      return order <= 0;
    case Relation::equal:
      return order == 0;
    case Relation::not_equal:
      return order != 0;
    case Relation::greater_equal:
      return order >= 0;
    case Relation::greater:
      return order > 0;
  }
  return false;
}

Spec Spec::parse(std::string_view typed) {
  const std::string_view text = text::trimmed(typed);
  if (text.empty()) refuse(typed, "it is empty");
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
    refuse(typed, "it holds a control character");
  }
  if (text.size() > 100) refuse(typed, "it is longer than 100 characters");

  const std::string word = text::lower(text);
  if (word == "latest" || word == "newest" || word == "stable") {
    return {std::string(text), Latest{}};
  }
  if (word == "auto") return {std::string(text), Auto{}};
  if (word == "system") return {std::string(text), System{}};

  if (text.find_first_of("<>=!") != std::string_view::npos && !word.starts_with("cuda=")) {
    Range range;
    for (const auto part : text::split(text, ',')) range.bounds.push_back(parse_bound(part, typed));
    return {std::string(text), std::move(range)};
  }
  const std::string_view bare = without_decoration(text);
  if (!bare.empty() && bare[0] >= '0' && bare[0] <= '9' &&
      bare.find_first_not_of("0123456789.") == std::string_view::npos) {
    return {std::string(text), Partial{version_or_refuse(bare, typed)}};
  }
  if (text.find('/') != std::string_view::npos) {
    refuse(typed, "a path cannot be used here; name an installed prefix or a version");
  }
  if (text.starts_with('-')) refuse(typed, "it begins with `-`, like an option");
  if (is_reserved(word)) refuse(typed, "that word has another meaning");
  if (!is_prefix_name(text)) {
    refuse(typed, "only letters, digits and `.`, `_`, `+`, `-` may stand in it");
  }
  return {std::string(text), Name{std::string(text)}};
}

bool Spec::accepts(const Version& version) const {
  struct Visitor {
    const Version& version;
    bool operator()(const Latest&) const { return true; }
    bool operator()(const Auto&) const { return true; }
    bool operator()(const System&) const { return true; }
    bool operator()(const Partial& partial) const { return version.starts_with(partial.version); }
    bool operator()(const Range& range) const {
      return std::all_of(range.bounds.begin(), range.bounds.end(),
                         [&](const Bound& bound) { return bound.accepts(version); });
    }
    bool operator()(const Name&) const { return false; }
  };
  return std::visit(Visitor{version}, value_);
}

bool is_prefix_name(std::string_view name) {
  if (name.empty() || name.size() > 100 || !is_word(name, "._+-") ||
      !is_word(name.substr(0, 1), "")) {
    return false;
  }
  return !is_reserved(text::lower(name));
}

}  // namespace cudaenv
