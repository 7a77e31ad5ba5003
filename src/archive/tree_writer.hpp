#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "archive/budget.hpp"
#include "archive/link_map.hpp"
#include "archive/unpack.hpp"
#include "sys/fd.hpp"
#include "sys/sha256.hpp"

namespace cudaenv::archive {

class TreeWriter;

// One file on its way to disk. What is written is hashed in passing.
class FileWriter {
 public:
  void write(std::string_view bytes);
  // Zeros that take no room on disk.
  void write_hole(std::uint64_t count, const Interrupt& interrupt);
  std::uint64_t size() const { return size_; }

  // The file is complete. Without this call it never becomes an entry.
  Digest finish(bool executable);

 private:
  friend class TreeWriter;
  FileWriter(TreeWriter& tree, std::string path, sys::Fd fd, sys::Sha256& hasher)
      : tree_(tree), path_(std::move(path)), fd_(std::move(fd)), hasher_(hasher) {}

  TreeWriter& tree_;
  std::string path_;
  sys::Fd fd_;  // none where an earlier entry has the path: then the bytes only have to be equal
  sys::Sha256& hasher_;
  std::uint64_t size_ = 0;
  bool ends_in_hole_ = false;
};

// Puts entries into one empty folder of ours; nothing else in this layer creates anything. Paths
// are checked ones. No entry is written through a link, because links are made after everything
// else and folders are opened one name at a time. May be called from several threads.
class TreeWriter {
 public:
  // The folders that only a path names are held to the limits too: one path may name 2,000.
  TreeWriter(const std::filesystem::path& root, const Limits& limits);

  void add_folder(const std::string& path);
  // Several may be open at once, each with a hasher of its own.
  FileWriter add_file(const std::string& path, sys::Sha256& hasher);
  // A second name for a finished file or a link at `existing`; false if there is none.
  bool add_hard_link(const std::string& path, const std::string& existing);
  void add_link(const std::string& path, const std::string& target);

  // Judges and makes the links. The entries, sorted by path.
  std::vector<Entry> finish(const Interrupt& interrupt);

 private:
  friend class FileWriter;

  struct Node {
    Entry::Kind kind = Entry::Kind::directory;
    bool done = false;
    bool has_children = false;
    unsigned mode = 0755;
    std::uint64_t size = 0;
    std::optional<Digest> sha256;
  };
  struct Twin {
    std::string path;
    Digest sha256;
  };

  std::filesystem::path full(const std::string& path) const { return root_ / path; }
  void make_parents(const std::string& path);
  void make_folder(const std::string& path);
  int folder_fd(std::string_view path);
  void link_file(const std::string& path, const std::string& existing, const Node& node);
  void close_file(FileWriter& file, const Digest& digest, unsigned mode);

  std::filesystem::path root_;
  sys::Fd root_fd_;
  std::mutex mutex_;
  Budget implied_folders_;
  std::unordered_map<std::string, Node> nodes_;
  LinkMap links_;
  std::vector<Twin> twins_;
  std::string open_folder_;  // the folder that open_fd_ is, or empty
  sys::Fd open_fd_;
};

}  // namespace cudaenv::archive
