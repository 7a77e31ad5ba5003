#include "compat/phrase.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace cudaenv::compat {
namespace {

constexpr std::size_t longest_any = 160;
constexpr std::size_t longest_word = 80;
constexpr std::size_t longest_number = 32;
constexpr std::size_t most_parts = 12;

bool in_word(char c) {
  return text::is_alphanumeric(c) || c == '_' || c == '.' || c == '+' || c == '-';
}

// A text of a phrase as a flow has it.
std::string normal(std::string_view text) {
  Flow flow;
  append(flow, text, false);
  std::transform(flow.text.begin(), flow.text.end(), flow.text.begin(), folded);
  return flow.text;
}

bool stands_at(const Flow& flow, std::size_t at, std::string_view text) {
  if (flow.size() < at || flow.size() - at < text.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (folded(flow.text[at + i]) != text[i]) return false;
  }
  return true;
}

// How many bytes from `at` are of a kind, without a blank between them.
template <typename Accepts>
std::size_t run_length(const Flow& flow, std::size_t at, Accepts accepts) {
  std::size_t end = at;
  while (end < flow.size() && end - at < longest_number && accepts(flow.text[end]) &&
         (end == at || !flow.gap_at(end))) {
    ++end;
  }
  return end - at;
}

std::size_t version_length(const Flow& flow, std::size_t at) {
  std::size_t length = run_length(flow, at, [](char c) { return text::is_digit(c) || c == '.'; });
  while (length > 0 && flow.text[at + length - 1] == '.') --length;
  return length > 0 && text::is_digit(flow.text[at]) ? length : 0;
}

}  // namespace

std::optional<Phrase::Kind> Phrase::kind_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, Kind>, 5> known{{{"number", Kind::number},
                                                                    {"version", Kind::version},
                                                                    {"letters", Kind::letters},
                                                                    {"word", Kind::word},
                                                                    {"any", Kind::any}}};
  for (const auto& [name, kind] : known) {
    if (name == word) return kind;
  }
  return std::nullopt;
}

std::optional<Phrase> Phrase::parse(std::string_view text) {
  Phrase phrase;
  std::string pending;
  const auto finish = [&] {
    if (!pending.empty()) phrase.parts_.push_back({Kind::text, normal(pending)});
    pending.clear();
  };
  while (!text.empty()) {
    const auto close = text[0] == '{' ? text.find('}') : std::string_view::npos;
    const auto inside =
        close == std::string_view::npos ? std::string_view{} : text.substr(1, close - 1);
    const auto kind = kind_of(inside);
    if (kind) {
      finish();
      phrase.parts_.push_back({*kind, {}});
      text.remove_prefix(close + 1);
    } else if (inside.starts_with('=') && inside.size() > 1) {
      finish();
      phrase.parts_.push_back({Kind::caught_text, normal(inside.substr(1))});
      text.remove_prefix(close + 1);
    } else {
      pending += text[0];
      text.remove_prefix(1);
    }
  }
  finish();
  if (phrase.parts_.empty() || phrase.parts_.size() > most_parts) return std::nullopt;
  for (const auto& part : phrase.parts_) {
    if (part.kind != Kind::text && part.kind != Kind::caught_text) break;
    phrase.beginning_ += part.text;
  }
  const Kind last = phrase.parts_.back().kind;
  if (phrase.beginning_.size() < 3) return std::nullopt;
  if (last == Kind::word || last == Kind::any) return std::nullopt;
  return phrase;
}

bool Phrase::has_number() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.kind == Kind::number; });
}

std::optional<Phrase::Match> Phrase::match(const Flow& flow, std::size_t at) const {
  Match match{at, {}};
  if (!match_from(flow, at, 0, match)) return std::nullopt;
  return match;
}

bool Phrase::match_from(const Flow& flow, std::size_t at, std::size_t index, Match& match) const {
  if (index == parts_.size()) {
    match.end = at;
    return true;
  }
  const Part& part = parts_[index];
  std::size_t length = 0;
  switch (part.kind) {
    case Kind::text:
    case Kind::caught_text:
      if (!stands_at(flow, at, part.text)) return false;
      length = part.text.size();
      break;
    case Kind::number:
      length = run_length(flow, at, text::is_digit);
      break;
    case Kind::version:
      length = version_length(flow, at);
      break;
    case Kind::letters:
      length = run_length(flow, at, text::is_letter);
      break;
    case Kind::word:
    case Kind::any:
      return match_lazily(flow, at, index, match);
  }
  if (length == 0) return false;
  if (part.kind != Kind::text) match.caught.push_back(flow.text.substr(at, length));
  if (match_from(flow, at + length, index + 1, match)) return true;
  if (part.kind != Kind::text) match.caught.pop_back();
  return false;
}

// The shortest run after which the rest fits. A text follows (parse() sees to the end), so that
// each length costs little; two such places in a row would not.
bool Phrase::match_lazily(const Flow& flow, std::size_t at, std::size_t index, Match& match) const {
  const bool any = parts_[index].kind == Kind::any;
  const std::size_t most = any ? longest_any : longest_word;
  for (std::size_t length = 0; length <= most && at + length <= flow.size(); ++length) {
    if (length > 0 && !any) {
      const std::size_t last = at + length - 1;
      if (!in_word(flow.text[last]) || (length > 1 && flow.gap_at(last))) return false;
    }
    match.caught.push_back(flow.text.substr(at, length));
    if (match_from(flow, at + length, index + 1, match)) return true;
    match.caught.pop_back();
  }
  return false;
}

}  // namespace cudaenv::compat
