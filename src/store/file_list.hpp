#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"

namespace cudaenv::store {

// One file or link of a prefix or of a store entry.
struct ListedFile {
  enum class Kind { file, symlink };
  Kind kind = Kind::file;
  std::string path;              // relative
  unsigned mode = 0644;          // of a file
  std::uint64_t size = 0;        // of a file
  std::optional<Digest> sha256;  // of a file
  std::string target;            // of a link
  std::string component;         // who brought it; empty: cudaenv itself (lib64, version.json)

  bool operator==(const ListedFile&) const = default;
};

// A file that is larger is none: a hundred times what the largest toolkit has.
inline constexpr std::uint64_t longest_file_list = 256u << 20;

// A line with format and count, then one line a file, sorted by path, tab-separated, with tab,
// newline and backslash escaped in paths. Read back it is the same. Throws Error(corrupt) naming
// `where` and the line: wrong shape, fewer lines than counted, an absolute path, "..", a duplicate,
// a path that goes through a listed link.
std::string write_file_list(std::vector<ListedFile> files);
std::vector<ListedFile> read_file_list(std::string_view text, std::string_view where);

}  // namespace cudaenv::store
