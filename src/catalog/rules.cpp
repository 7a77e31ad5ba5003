#include "catalog/rules.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace cudaenv::catalog {
namespace {

constexpr std::size_t longest_name = 80;
constexpr std::size_t longest_path = 300;
constexpr std::uint64_t largest_archive = std::uint64_t{256} << 30;

bool is_plain(char c) {
  return text::is_alphanumeric(c) || c == '.' || c == '_' || c == '+' || c == '-';
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && text::is_alphanumeric(name[0]) &&
         std::all_of(name.begin(), name.end(), is_plain);
}

bool is_safe_path(std::string_view path) {
  if (path.size() > longest_path) return false;
  const auto parts = text::split(path, '/');
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    return !part.empty() && part[0] != '.' && std::all_of(part.begin(), part.end(), is_plain);
  });
}

bool is_date(std::string_view text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : !text::is_digit(text[i])) return false;
  }
  return true;
}

std::optional<std::uint64_t> parse_size(std::string_view digits) {
  const auto size = text::parse_unsigned(digits);
  if (!size || *size == 0 || *size > largest_archive) return std::nullopt;
  return size;
}

}  // namespace cudaenv::catalog
