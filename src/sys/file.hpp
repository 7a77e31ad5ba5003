#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "sys/fd.hpp"

// The one place that touches the filesystem. Every failure is an Error(system), or Error(full) for
// a disk or a quota that is used up, that names the path and what was being done; a full disk, a
// read-only filesystem and a missing permission each get their own words and advice. Paths are
// bytes: nothing here assumes UTF-8.
namespace cudaenv::sys {

namespace fs = std::filesystem;

// Throws the Error for errno `code`: "cannot <doing> <path>: <reason>".
[[noreturn]] void fail(int code, std::string_view doing, const fs::path& path);

enum class Kind { regular, directory, symlink, other };

struct Stat {
  Kind kind;
  unsigned mode = 0;  // permission bits
  std::uint64_t size = 0;
  std::uint64_t inode = 0;
  std::uint64_t device = 0;
  std::uint64_t links = 0;
  std::uint64_t blocks = 0;  // of 512 bytes: what it takes on disk
  unsigned owner = 0;
  unsigned group = 0;
  std::int64_t modified_ns = 0;  // since the epoch
  std::int64_t changed_ns = 0;   // of what is in it or about it
};

// What is at `path` itself (a link is a link); nothing where nothing is, and where a parent
// is not a directory.
std::optional<Stat> stat_link(const fs::path& path);
// What `path` leads to.
std::optional<Stat> stat_target(const fs::path& path);
bool is_directory(const fs::path& path);  // follows links
bool exists(const fs::path& path);        // the name itself, dangling links too

// The whole file. `limit` bytes at most, and a regular file (a pipe would be waited for), else
// Error(corrupt).
std::string read_file(const fs::path& path, std::uint64_t limit = 64u << 20);
// The same, or nothing where there is no such file.
std::optional<std::string> read_if_present(const fs::path& path, std::uint64_t limit = 64u << 20);

Fd open_read(const fs::path& path);
// Creates, or truncates what is there. `mode` is set whatever the umask.
Fd create_file(const fs::path& path, unsigned mode = 0644);
void write_all(int fd, std::string_view bytes, const fs::path& path_for_errors);

// Written beside `path`, synced if `durable`, then renamed over it: a reader sees the old file
// or the new one. `mode` is set whatever the umask.
void write_atomically(const fs::path& path, std::string_view bytes, unsigned mode = 0644,
                      bool durable = true);

// Behind what the file has; it is created where it is missing.
void append(const fs::path& path, std::string_view bytes);

// All missing folders, with `mode` whatever the umask. What is there is left as it is.
void create_directories(const fs::path& path, unsigned mode = 0755);
// One folder that must not exist yet.
void create_directory(const fs::path& path, unsigned mode = 0755);
void create_symlink(const fs::path& target, const fs::path& path);
fs::path read_symlink(const fs::path& path);
// Absolute, links resolved; the path must exist.
fs::path canonical(const fs::path& path);

void rename(const fs::path& from, const fs::path& to);
// Swaps two existing names in one step. False where the kernel or filesystem cannot.
bool exchange(const fs::path& one, const fs::path& other);
// Renames only if nothing is at `to`. False where something is.
bool rename_new(const fs::path& from, const fs::path& to);

enum class LinkOutcome { linked, unsupported };  // unsupported: other filesystem, link limit, ...
LinkOutcome hard_link(const fs::path& from, const fs::path& to);
// A copy-on-write copy; unsupported where the filesystem has none.
LinkOutcome reflink(const fs::path& from, const fs::path& to, unsigned mode);
void copy_file(const fs::path& from, const fs::path& to, unsigned mode);

// Names in a folder, without "." and "..", sorted by bytes. Empty where there is no such folder.
std::vector<std::string> list(const fs::path& folder);

struct TreeEntry {
  std::string path;  // relative to the root of the walk, with '/' between
  Stat stat;
};
// Everything below `root`, parents before children, names sorted; links are not followed.
std::vector<TreeEntry> walk(const fs::path& root);

void remove_file(const fs::path& path);
bool remove_if_present(const fs::path& path);  // a file or link; false where there was none
// The folder and all below it, never through a link; read-only folders are made writable first.
// Nothing happens where there is no such folder.
void remove_tree(const fs::path& folder);

// A name beside `path` that nobody uses: ".<name>.<pid>.<n>".
fs::path unused_sibling(const fs::path& path);

void set_mode(const fs::path& path, unsigned mode);  // a refusal by the filesystem is ignored
void sync_file(const fs::path& path);
void sync_directory(const fs::path& path);
// Every dirty page of the filesystem that holds `path`.
void sync_filesystem(const fs::path& path);

struct Space {
  std::uint64_t bytes = 0;              // that this user may still write
  std::optional<std::uint64_t> inodes;  // nothing where the filesystem does not count them
};
// Of the filesystem that holds `path` or its nearest existing parent.
Space free_space(const fs::path& path);

bool can_write(const fs::path& folder);  // or its nearest existing parent

}  // namespace cudaenv::sys
