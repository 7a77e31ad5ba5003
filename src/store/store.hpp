#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "store/file_list.hpp"
#include "store/layout.hpp"

namespace cudaenv::store {

// The unpacked components of a root, each under the SHA-256 of its archive:
// <store>/<sha256>[-<filter>]/{tree/, files.tsv}. Present means complete: an entry is staged and
// published by one rename, its file list last. `filter` is catalog's filter name; "all" also
// serves the narrower ones.
class ComponentStore {
 public:
  explicit ComponentStore(const Layout& layout) : layout_(layout) {}

  struct Entry {
    std::filesystem::path tree;
    std::vector<ListedFile> files;
  };

  // The entry that serves archive and filter, or nothing. A damaged entry (no or unreadable list,
  // a file that is missing or of another size) counts as absent. Does not read the files.
  std::optional<Entry> find(const Digest& archive, const std::string& filter) const;
  bool contains(const Digest& archive, const std::string& filter) const;

  // Publishes a staged folder (holding tree/) as the entry; `files` is written into it and synced
  // first. An equal entry that is there already wins, and `staged` is removed; a damaged one is
  // replaced.
  void publish(const Digest& archive, const std::string& filter,
               const std::filesystem::path& staged, const std::vector<ListedFile>& files) const;

  struct Stored {
    std::string name;  // folder name: "<sha256>" or "<sha256>-<filter>"
    Digest archive;
    std::string filter;
    std::uint64_t disk_bytes = 0;  // only where asked for
  };
  std::vector<Stored> entries(bool with_sizes) const;
  // By one rename into the trash. Throws Error(missing) where there is no such entry.
  void remove(const std::string& name) const;

 private:
  Layout layout_;
};

}  // namespace cudaenv::store
