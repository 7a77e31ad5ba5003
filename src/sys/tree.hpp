#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace cudaenv::sys {

// A root folder that is looked at: this machine's own, "/", or that of an image or a mounted disk.
// Paths are absolute within it and links are followed inside it, so that nothing leads out, ".."
// and absolute links neither. What it holds is a stranger's: no look waits (pipes and devices are
// not opened), none reads without a bound, none throws. What cannot be seen is absent.
class Tree {
 public:
  Tree() : Tree("/") {}
  // Without `at_once` it walks step by step, as it does where the kernel (before 5.6) or a sandbox
  // has no openat2.
  explicit Tree(std::filesystem::path root, bool at_once = true)
      : root_(std::move(root)), at_once_(at_once) {}

  bool is_machine() const { return root_ == "/"; }
  const std::filesystem::path& root() const { return root_; }

  // What the path leads to, and the same of the name itself where it is a link.
  std::optional<Stat> stat(std::string_view path) const;
  std::optional<Stat> link_stat(std::string_view path) const;
  bool is_directory(std::string_view path) const;
  bool is_file(std::string_view path) const;
  bool is_program(std::string_view path) const;  // a regular file that somebody may execute

  // The path without links, in the tree; nothing where it leads nowhere.
  std::optional<std::string> resolve(std::string_view path) const;
  // What a link says; nothing where there is no link.
  std::optional<std::string> link_target(std::string_view path) const;
  // The path, then each link on the way to the end as its last component changes:
  // "/usr/local/cuda",
  // "/etc/alternatives/cuda", "/usr/local/cuda-11.7". The last one may dangle. At most 16.
  std::vector<std::string> hops(std::string_view path) const;

  // Names in a folder, sorted; 10,000 at most.
  std::vector<std::string> list(std::string_view folder) const;
  // The first `most` bytes of a regular file.
  std::optional<std::string> read(std::string_view path, std::size_t most = 1 << 16) const;
  // A regular file, opened to read parts of it.
  Fd open_file(std::string_view path) const;
  // Whether this user may read and, where it says so, write it; on a tree that is not the machine's
  // whether anybody may.
  bool may_use(std::string_view path, bool write) const;

 private:
  struct Place {
    Fd fd;             // O_PATH
    std::string path;  // without links
  };
  std::optional<Place> find(std::string_view path, bool follow_last) const;
  std::optional<Place> walk(Fd root, std::string_view path, bool follow_last) const;
  std::string path_of(const Fd& fd) const;

  std::filesystem::path root_;
  bool at_once_;
};

// "/usr" and "../lib" to "/lib", by the letters alone; always absolute, never above "/".
std::string tree_path(std::string_view folder, std::string_view path);

}  // namespace cudaenv::sys
