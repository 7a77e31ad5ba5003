#include "compat/explain.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/suggest.hpp"
#include "base/text.hpp"

namespace cudaenv::compat {
namespace {

// Whose number it most likely is, in this order.
constexpr std::string_view runtime = "runtime";
constexpr std::string_view old_runtime = "runtime-10.0";

std::optional<unsigned> number_of(std::string_view word) {
  const bool hex = word.starts_with("0x") || word.starts_with("0X");
  if (hex) word.remove_prefix(2);
  unsigned number = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), number, hex ? 16 : 10);
  if (word.empty() || error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// "{1}" and so on are what the phrase caught; a place that caught nothing is an ellipsis.
std::string filled(std::string_view text, const std::vector<std::string>& caught) {
  std::string result;
  while (!text.empty()) {
    if (text.size() > 2 && text[0] == '{' && text::is_digit(text[1]) && text[2] == '}') {
      const auto index = static_cast<std::size_t>(text[1] - '1');
      result += index < caught.size() ? text::visible(caught[index], 80) : "...";
      text.remove_prefix(3);
    } else {
      result += text[0];
      text.remove_prefix(1);
    }
  }
  return result;
}

// Without what differs between a message and what people remember of it.
std::string squeezed(std::string_view text) {
  std::string result;
  for (const char c : text::lower(text)) {
    if (text::is_alphanumeric(c) || c == '.') result += c;
  }
  return result;
}

// Shorter pieces stand in texts that have nothing to do with each other.
constexpr std::size_t shortest_piece = 8;
constexpr std::size_t most_meanings = 3;

// Names that texts outside of errors have, too.
bool is_telling_name(const CodeRow& code) { return code.family != "xid"; }

}  // namespace

Explanation explanation(const ErrorRow& error, const CodeRow* code,
                        const std::vector<std::string>& caught) {
  Explanation made{&error, code, {}, {}, 0, {}, 1};
  for (const auto& cause : error.causes) made.causes.push_back(filled(cause, caught));
  for (const auto& help : error.help) made.help.push_back(filled(help, caught));
  return made;
}

ErrorTexts::ErrorTexts(const Tables& tables)
    : tables_(tables), finder_(std::vector<std::string>{}) {
  for (const auto& row : tables.phrases) {
    entries_.push_back({*Phrase::parse(row.text), tables.error(row.error), nullptr, nullptr});
  }
  for (const auto& row : tables.contexts) {
    if (ContextRow::takes_words(row.text)) {
      add_worded(row);
    } else {
      entries_.push_back({*Phrase::parse(row.text), nullptr, nullptr, &row.family});
    }
  }
  for (const auto& row : tables.codes) {
    const auto phrase = Phrase::parse(row.name);
    if (!phrase || !is_telling_name(row)) continue;
    entries_.push_back({*phrase, tables.error(row.error), &row, nullptr});
  }
  std::vector<std::string> words;
  for (const auto& entry : entries_) words.push_back(entry.phrase.beginning());
  finder_ = PhraseFinder(words);
}

// The text, with the words of each error of the family in its place.
void ErrorTexts::add_worded(const ContextRow& context) {
  const auto at = context.text.find(ContextRow::words_place);
  for (const auto& row : tables_.codes) {
    if (row.family != context.family || row.words.empty()) continue;
    std::string text = context.text;
    text.replace(at, ContextRow::words_place.size(), row.words);
    if (const auto phrase = Phrase::parse(text)) {
      entries_.push_back({*phrase, tables_.error(row.error), &row, nullptr});
    }
  }
}

std::vector<Explanation> ErrorTexts::of_code(std::string_view word) const {
  const auto typed = text::trimmed(word);
  const auto number = number_of(typed);
  const std::string name = text::lower(typed);
  std::vector<Explanation> result;
  for (const auto* row : codes_by_likelihood()) {
    if (number ? row->number != *number : text::lower(row->name) != name) continue;
    result.push_back(explanation(*tables_.error(row->error), row, {}));
  }
  return result;
}

std::vector<const CodeRow*> ErrorTexts::codes_by_likelihood() const {
  std::vector<const CodeRow*> rows;
  for (const auto& row : tables_.codes) rows.push_back(&row);
  const auto rank = [](const CodeRow* row) {
    if (row->family == runtime) return 0;
    if (row->family == "driver") return 1;
    return row->family == old_runtime ? 3 : 2;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return rows;
}

std::vector<Explanation> ErrorTexts::of_piece(std::string_view typed) const {
  const std::string piece = squeezed(typed);
  std::vector<Explanation> result;
  if (piece.size() < shortest_piece) return result;
  const auto add = [&](const std::string& id, const CodeRow* code) {
    const ErrorRow* error = tables_.error(id);
    const bool told = std::any_of(result.begin(), result.end(),
                                  [&](const Explanation& each) { return each.error == error; });
    if (!told) result.push_back(explanation(*error, code, {}));
  };
  const auto holds = [&](std::string_view text) {
    return squeezed(text).find(piece) != std::string::npos;
  };
  const auto codes = codes_by_likelihood();
  for (const auto* code : codes) {
    if (squeezed(code->words) == piece) add(code->error, code);
  }
  if (!result.empty()) return result;
  for (const auto* code : codes) {
    if (holds(code->words) || holds(code->name)) add(code->error, code);
  }
  for (const auto& error : tables_.errors) {
    if (holds(error.title)) add(error.id, nullptr);
  }
  for (const auto& phrase : tables_.phrases) {
    if (holds(phrase.text)) add(phrase.error, nullptr);
  }
  if (result.size() > most_meanings) result.clear();
  return result;
}

const CodeRow* ErrorTexts::numbered(const std::string& family, const std::string& digits) const {
  const auto number = number_of(digits);
  if (!number) return nullptr;
  const auto* code = tables_.code(family, *number);
  return !code && family == runtime ? tables_.code(old_runtime, *number) : code;
}

std::string ErrorTexts::close_name(std::string_view word) const {
  std::vector<std::string> names;
  for (const auto& row : tables_.codes) names.push_back(row.name);
  return suggest(text::trimmed(word), names).value_or("");
}

}  // namespace cudaenv::compat
