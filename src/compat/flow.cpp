#include "compat/flow.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"

namespace cudaenv::compat {
namespace {

constexpr char escape = '\x1b';
constexpr std::size_t longest_escape = 256;
constexpr std::size_t longest_mark = 100;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v' || c == '\0';
}

// The length of the sequence that begins with ESC at the front of `text`.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  const std::size_t most = std::min(text.size(), longest_escape);
  if (text[1] == '[') {
    for (std::size_t i = 2; i < most; ++i) {
      if (text[i] >= '@' && text[i] <= '~') return i + 1;
    }
    return 2;
  }
  if (text[1] == ']') {
    for (std::size_t i = 2; i < most; ++i) {
      if (text[i] == '\a') return i + 1;
      if (text[i] == '\\' && text[i - 1] == escape) return i + 1;
    }
    return 2;
  }
  return 2;
}

// Typographic quotes, as gcc prints them in UTF-8 locales, are three bytes.
std::optional<char> wide_quote(std::string_view text) {
  if (!text.starts_with("\xE2\x80") || text.size() < 3) return std::nullopt;
  const auto last = static_cast<unsigned char>(text[2]);
  if (last == 0x98 || last == 0x99 || last == 0x9C || last == 0x9D) return '\'';
  return std::nullopt;
}

// How much of `text` is like `shape`: d stands for a digit.
bool has_shape(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 'd' ? !text::is_digit(text[i]) : text[i] != shape[i]) return false;
  }
  return true;
}

// The length of a date at the front; 0 for none.
std::size_t date_length(std::string_view text) {
  if (!has_shape(text, "dddd-dd-dd") && !has_shape(text, "dddd/dd/dd")) return 0;
  return text.size() > 10 && text[10] == 'T' ? 11 : 10;
}

// "14:03:59.123Z", "14:03:59,123 +01:00:"
std::size_t time_length(std::string_view text) {
  if (!has_shape(text, "dd:dd:dd")) return 0;
  std::size_t end = 8;
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  if ((at(end) == '.' || at(end) == ',') && text::is_digit(at(end + 1))) {
    ++end;
    while (text::is_digit(at(end))) ++end;
  }
  if (at(end) == 'Z') ++end;
  if (has_shape(text.substr(end), "+dd:dd") || has_shape(text.substr(end), "-dd:dd")) end += 6;
  if (at(end) == ':') ++end;
  return end;
}

// "[rank0]:", "[2024-01-01 00:00:00,123]", "(Worker pid=17)"
std::size_t bracket_length(std::string_view text) {
  if (text.empty() || (text[0] != '[' && !text.starts_with('('))) return 0;
  const auto close = text.substr(0, longest_mark).find(text[0] == '[' ? ']' : ')');
  if (close == std::string_view::npos) return 0;
  if (text[0] == '(' && text.substr(0, close).find("pid=") == std::string_view::npos) return 0;
  std::size_t end = close + 1;
  if (end < text.size() && text[end] == ':') ++end;
  return end;
}

// "stderr F ", "web-1  | ", "E   "
std::size_t label_length(std::string_view text) {
  for (const std::string_view label : {"stderr F ", "stderr P ", "stdout F ", "stdout P "}) {
    if (text.starts_with(label)) return label.size();
  }
  if (text.starts_with("E   ")) return 4;
  const auto bar = text.substr(0, 40).find(" | ");
  if (bar == std::string_view::npos) return 0;
  const auto name = text::trimmed(text.substr(0, bar));
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return text::is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  });
  return plain ? bar + 3 : 0;
}

}  // namespace

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool Flow::boundary(std::size_t at) const {
  if (at == 0 || at >= text.size() || gap_at(at)) return true;
  const auto in_word = [](char c) { return text::is_alphanumeric(c) || c == '_'; };
  return !in_word(text[at - 1]) || !in_word(text[at]);
}

void Flow::erase_front(std::size_t count) {
  text.erase(0, count);
  gaps.erase(0, count);
}

Flow Flow::of(std::string_view text) {
  Flow flow;
  for (const auto line : text::lines(text)) append(flow, without_escapes(line), true);
  return flow;
}

std::string without_escapes(std::string_view line) {
  std::string plain;
  plain.reserve(line.size());
  while (!line.empty()) {
    const auto next = std::min(line.find(escape), line.size());
    plain.append(line.substr(0, next));
    line.remove_prefix(next);
    if (!line.empty()) line.remove_prefix(escape_length(line));
  }
  return plain;
}

std::string_view message_of(std::string_view line) {
  // A mark of each kind, and a few of them again: "web-1 | [rank0]: 2024-01-01 10:00:00".
  for (int round = 0; round < 8; ++round) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    std::size_t length = 0;
    for (const auto measure : {date_length, time_length, bracket_length, label_length}) {
      length = measure(line);
      if (length > 0) break;
    }
    if (length == 0) break;
    line.remove_prefix(length);
  }
  return line;
}

void append(Flow& flow, std::string_view line, bool begins) {
  if (begins) line = message_of(line);
  bool gap = begins;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    // Logs in JSON have newlines as \n.
    const bool written_break = c == '\\' && i + 1 < line.size() && line[i + 1] == 'n';
    if (is_blank(c) || written_break) {
      gap = true;
      if (written_break) ++i;
      continue;
    }
    if (c == '\\') continue;
    if (c == '`' || c == '"') c = '\'';
    if (const auto quote = wide_quote(line.substr(i))) {
      c = *quote;
      i += 2;
    }
    flow.text += c;
    flow.gaps += gap ? '\1' : '\0';
    gap = false;
  }
}

}  // namespace cudaenv::compat
