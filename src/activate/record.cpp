#include "activate/record.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv::activate {
namespace {

// The first item: which form the others have.
constexpr std::string_view form = "1";

bool is_name(std::string_view name) {
  if (name.empty() || text::is_digit(name.front())) return false;
  for (const char c : name) {
    if (!text::is_alphanumeric(c) && c != '_') return false;
  }
  return true;
}

std::string escaped(std::string_view bytes) {
  constexpr std::string_view plain = "-./_";
  std::string result;
  for (const char c : bytes) {
    if (text::is_alphanumeric(c) || plain.find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::optional<unsigned> hex_digit(char c) {
  if (text::is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      result += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const auto high = hex_digit(text[at + 1]);
    const auto low = hex_digit(text[at + 2]);
    // A value with a NUL is none that a variable can have.
    if (!high || !low || *high + *low == 0) return std::nullopt;
    result += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return result;
}

// V,NAME,-,SET where it was unset; V,NAME,+BEFORE,SET where it was set.
std::optional<Record::Variable> decoded_variable(const std::vector<std::string_view>& fields) {
  if (fields.size() != 4 || !is_name(fields[1])) return std::nullopt;
  Record::Variable variable{std::string(fields[1]), std::nullopt, ""};
  if (fields[2].starts_with('+')) {
    variable.before = unescaped(fields[2].substr(1));
    if (!variable.before) return std::nullopt;
  } else if (fields[2] != "-") {
    return std::nullopt;
  }
  auto set = unescaped(fields[3]);
  if (!set) return std::nullopt;
  variable.set = std::move(*set);
  return variable;
}

// L,NAME,-,ENTRY,HAD,... where it was unset; L,NAME,+,ENTRY,HAD,... where it was set.
std::optional<Record::List> decoded_list(const std::vector<std::string_view>& fields) {
  if (fields.size() < 3 || fields.size() % 2 == 0 || !is_name(fields[1])) return std::nullopt;
  if (fields[2] != "+" && fields[2] != "-") return std::nullopt;
  Record::List list{std::string(fields[1]), fields[2] == "+", {}};
  for (std::size_t at = 3; at < fields.size(); at += 2) {
    auto value = unescaped(fields[at]);
    const auto had = text::parse_unsigned(fields[at + 1]);
    if (!value || !had) return std::nullopt;
    list.entries.push_back({std::move(*value), static_cast<std::size_t>(*had)});
  }
  return list;
}

}  // namespace

std::string encoded(const Record& record) {
  std::string result(form);
  for (const auto& [name, before, set] : record.variables) {
    result += fmt::format(":V,{},{},{}", name, before ? "+" + escaped(*before) : "-", escaped(set));
  }
  for (const auto& [name, was_set, entries] : record.lists) {
    result += fmt::format(":L,{},{}", name, was_set ? '+' : '-');
    for (const auto& [value, had] : entries) result += fmt::format(",{},{}", escaped(value), had);
  }
  return result;
}

std::optional<Record> decoded(std::string_view text) {
  const auto items = text::split(text, ':');
  if (items.front() != form) return std::nullopt;
  Record record;
  for (std::size_t i = 1; i < items.size(); ++i) {
    const auto fields = text::split(items[i], ',');
    if (fields.front() == "V") {
      auto variable = decoded_variable(fields);
      if (!variable) return std::nullopt;
      record.variables.push_back(std::move(*variable));
    } else if (fields.front() == "L") {
      auto list = decoded_list(fields);
      if (!list) return std::nullopt;
      record.lists.push_back(std::move(*list));
    } else {
      return std::nullopt;
    }
  }
  return record;
}

}  // namespace cudaenv::activate
