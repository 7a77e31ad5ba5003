#include "catalog/toml_text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace {

// toml++ 3.3 asserts where some hostile texts should be an error, and with NDEBUG the compiler may
// assume that they don't come: a table called `é` is one. Here it is always asked, and the text
// refused.
struct Unexpected {};
[[noreturn]] void refuse_unexpected() { throw Unexpected{}; }

}  // namespace

#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : refuse_unexpected())
// The distribution's shared library would be loaded by every command, also by those that have an
// instant to answer.
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace cudaenv::catalog {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::size_t line_at(std::string_view bytes, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::count(
                 bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
         c == '\x7F';
}

// toml++ counts columns in characters.
std::size_t offset_of(std::string_view text, const toml::source_position& place) {
  std::size_t offset = 0;
  for (toml::source_index line = 1; line < place.line && offset < text.size(); ++offset) {
    if (text[offset] == '\n') ++line;
  }
  for (toml::source_index column = 1; column < place.column && offset < text.size(); ++column) {
    do {
      ++offset;
    } while (offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0u) == 0x80u);
  }
  return offset;
}

decltype(TomlEntry::value) value_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* number = node.as_integer()) return number->get();
  const auto* array = node.as_array();
  if (!array) return std::monostate{};
  std::vector<std::string> texts;
  for (const auto& element : *array) {
    const auto* text = element.as_string();
    if (!text) return std::monostate{};
    texts.push_back(text->get());
  }
  return texts;
}

}  // namespace

Error unreadable(std::string_view file, std::size_t line, const std::string& why) {
  Error error(ErrorKind::corrupt, fmt::format("cannot read `{}`", text::visible(file, 400)));
  return std::move(error).because(line == 0 ? why : fmt::format("line {}: {}", line, why));
}

std::string_view text_of(std::string_view bytes, std::string_view file) {
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  const bool wide = bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF") ||
                    bytes.find('\0') != std::string_view::npos;
  if (wide) {
    throw unreadable(file, 1, "it is UTF-16 or no text at all").help("save it as UTF-8");
  }
  std::size_t number = 0;
  for (const auto line : text::split(bytes, '\n')) {
    ++number;
    const auto body = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
    const bool odd = std::any_of(body.begin(), body.end(), is_control) ||
                     body.find('\r') != std::string_view::npos;
    if (!odd && text::is_utf8(body)) continue;
    throw unreadable(file, number,
                     fmt::format("`{}` is not plain text in UTF-8", text::visible(body, 60)));
  }
  return bytes;
}

std::vector<TomlEntry> read_toml(std::string_view bytes, std::string_view file) {
  const auto text = text_of(bytes, file);
  const std::size_t skipped = bytes.size() - text.size();
  std::vector<TomlEntry> entries;
  try {
    const toml::table table = toml::parse(text);
    for (const auto& [key, node] : table) {
      const auto& source = node.source();
      const std::size_t begin = offset_of(text, source.begin);
      entries.push_back({std::string(key.str()), value_of(node), line_at(text, begin),
                         skipped + begin, skipped + offset_of(text, source.end)});
    }
  } catch (const toml::parse_error& error) {
    throw unreadable(file, error.source().begin.line,
                     fmt::format("not TOML: {}", text::visible(error.description())));
  } catch (const Unexpected&) {
    throw unreadable(file, 0, "it is not TOML");
  }
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const TomlEntry& one, const TomlEntry& other) { return one.begin < other.begin; });
  return entries;
}

}  // namespace cudaenv::catalog
