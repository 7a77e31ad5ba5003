#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "model/version.hpp"
#include "sys/lock.hpp"

namespace cudaenv::store {

// The folder name of what a user calls "12.1.1" or "11.8-cudnn89": "cuda-" before it, unless it
// begins with "cuda" already, so that a system root holds nothing of ours by another name. Throws
// Error(usage) for a name that no prefix may have: separators, dots in front, reserved words.
std::string prefix_folder(std::string_view name);

// The folder name of a prefix that nobody gave another one: "cuda-12.1.1".
std::string plain_name(const Version& cuda);
// The version that such a name says, also one of two numbers: 12.1 for the link "cuda-12.1".
// Nothing for any other name.
std::optional<Version> version_in_plain_name(std::string_view name);

// Where everything of one root lies. A pure function of the root's path and kind; creates nothing.
class Layout {
 public:
  // A root of its own (user root, CUDAENV_ROOT): state in <root>/.state, default link <root>/cuda.
  static Layout user(std::filesystem::path root);
  // /usr/local, or another folder that plays its part: state in <base>/lib/cudaenv.
  static Layout system(std::filesystem::path base = "/usr/local");

  const std::filesystem::path& root() const { return root_; }
  bool is_system() const { return system_; }

  // The folder of a prefix called "cuda-12.1.1", "12.1.1" or by a name of the user's own. Throws
  // Error(usage) for a name that no prefix may have (see prefix_folder).
  std::filesystem::path prefix(const std::string& name) const;
  std::filesystem::path default_link() const;                   // <root>/cuda
  std::filesystem::path minor_link(const Version& cuda) const;  // <root>/cuda-12.1
  std::filesystem::path state() const;
  std::filesystem::path store() const;      // unpacked components
  std::filesystem::path staging() const;    // work in progress, swept when its owner is gone
  std::filesystem::path trash() const;      // replaced and removed prefixes on their way out
  std::filesystem::path downloads() const;  // <sha256>, <sha256>.partial
  std::filesystem::path root_lock() const;
  std::filesystem::path archive_lock(const Digest& sha256) const;

 private:
  Layout(std::filesystem::path root, std::filesystem::path state, bool system)
      : root_(std::move(root)), state_(std::move(state)), system_(system) {}
  std::filesystem::path root_;
  std::filesystem::path state_;
  bool system_;
};

// The lock of publishing, links and removal. Held for moments. Throws as FileLock does.
sys::FileLock lock_root(const Layout& layout, const sys::LockWait& wait);

}  // namespace cudaenv::store
