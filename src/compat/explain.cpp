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
    entries_.push_back({*Phrase::parse(row.text), nullptr, nullptr, &row.family});
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

std::vector<Explanation> ErrorTexts::of_code(std::string_view word) const {
  const auto typed = text::trimmed(word);
  const auto number = number_of(typed);
  const std::string name = text::lower(typed);
  std::vector<const CodeRow*> rows;
  for (const auto& row : tables_.codes) {
    if (number ? row.number == *number : text::lower(row.name) == name) rows.push_back(&row);
  }
  const auto rank = [](const CodeRow* row) {
    if (row->family == runtime) return 0;
    if (row->family == "driver") return 1;
    return row->family == old_runtime ? 3 : 2;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  std::vector<Explanation> result;
  for (const auto* row : rows) {
    result.push_back(explanation(*tables_.error(row->error), row, {}));
  }
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
