#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

// TOML as people write it by hand into our small files: some keys with plain values.
namespace cudaenv::catalog {

struct TomlEntry {
  std::string key;
  // Nothing for what is none of the others: a table, a date, a list of something else than texts.
  std::variant<std::monostate, std::string, bool, std::int64_t, std::vector<std::string>> value;
  std::size_t line = 0;   // that the value begins in
  std::size_t begin = 0;  // the bytes of the text that spell it
  std::size_t end = 0;
};

// The keys at the top, by line. Throws as `text_of` does, and for what is not TOML.
std::vector<TomlEntry> read_toml(std::string_view bytes, std::string_view file);

// A file's bytes without the mark that some editors put in front. Throws Error(corrupt) with file
// and line for UTF-16, for other bytes than UTF-8, and for control characters.
std::string_view text_of(std::string_view bytes, std::string_view file);

// The Error for a place in a file. Line 0 is the file as a whole.
Error unreadable(std::string_view file, std::size_t line, const std::string& why);

}  // namespace cudaenv::catalog
