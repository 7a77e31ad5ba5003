#include "activate/quote.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv::activate {
namespace {

// What no shell gives a meaning to, wherever it stands in a word: no blank, quote, glob, brace,
// `~` (a home), `=` (zsh: a command's path), `%` (old fish: a job), `!` (csh: the history).
bool is_plain(char c) {
  constexpr std::string_view marks = "_./:+,-";
  return text::is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
}

bool is_plain_word(std::string_view value) {
  if (value.empty() || value.front() == '-') return false;
  for (const char c : value) {
    if (!is_plain(c)) return false;
  }
  return true;
}

unsigned code(char c) { return static_cast<unsigned char>(c); }

// Each byte that is not plain becomes `escape` filled with its number.
std::string escaped(std::string_view value, const char* escape) {
  std::string result;
  for (const char c : value) {
    if (is_plain(c)) {
      result += c;
    } else {
      result += fmt::format(fmt::runtime(escape), code(c));
    }
  }
  return result;
}

bool is_control(char c) { return code(c) < 0x20 || code(c) == 0x7F; }

}  // namespace

std::string quoted_for_bash(std::string_view value) {
  if (is_plain_word(value)) return std::string(value);
  return "$'" + escaped(value, "\\{:03o}") + "'";
}

std::string assigned_for_sh(std::string_view name, std::string_view value) {
  if (is_plain_word(value)) return fmt::format("{}={}", name, value);
  if (value.empty()) return fmt::format("{}=''", name);
  // The dot keeps newlines at the end, which a command substitution would drop.
  return fmt::format("{0}=$(printf %b '{1}.'); {0}=${{{0}%.}}", name, escaped(value, "\\0{:03o}"));
}

std::string quoted_for_fish(std::string_view value) {
  if (is_plain_word(value)) return std::string(value);
  if (value.empty()) return "''";
  // Outside of quotes, where alone \X is an escape.
  std::string result = escaped(value, "\\X{:02x}");
  if (result.front() == '-') result.replace(0, 1, "\\X2d");
  return result;
}

std::string quoted_for_csh(std::string_view value) {
  if (is_plain_word(value)) return std::string(value);
  std::string result = "$'";
  for (const char c : value) {
    // Under a UTF-8 locale an escape beyond ASCII would be a character, not a byte.
    if (is_plain(c) || code(c) >= 0x80) {
      result += c;
    } else {
      result += fmt::format("\\{:03o}", code(c));
    }
  }
  return result + "'";
}

std::string quoted_for_elvish(std::string_view value) {
  std::string result = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\' || is_control(c) || code(c) >= 0x80) {
      result += fmt::format("\\x{:02x}", code(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string quoted_for_nushell(std::string_view value) {
  std::string result = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (is_control(c)) {
      result += fmt::format("\\u{{{:x}}}", code(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string quoted_for_powershell(std::string_view value) {
  // Inside double quotes; typographic ones end a PowerShell string as well as plain ones do.
  std::string result = "\"";
  for (std::size_t at = 0; at < value.size(); ++at) {
    const char c = value[at];
    const std::string_view three = value.substr(at, 3);
    if (is_control(c)) {
      result += fmt::format("$([char]{})", code(c));
    } else if (c == '"' || c == '`' || c == '$') {
      result += '`';
      result += c;
    } else if (three == "\u201C" || three == "\u201D" || three == "\u201E") {
      result += '`';
      result += three;
      at += 2;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace cudaenv::activate
