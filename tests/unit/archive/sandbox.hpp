#pragma once

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "archive/unpack.hpp"
#include "base/error.hpp"
#include "support/archive_builder.hpp"
#include "support/temp_dir.hpp"

namespace cudaenv::test {

// An archive, the folder that it is unpacked into, and beside that folder what must stay as it is.
class Sandbox {
 public:
  Sandbox() {
    root_.make_file("canary/precious", "precious");
    root_.make_dir("canary/folder");
    std::filesystem::create_symlink("precious", root_ / "canary/link");
    into_ = root_.make_dir("into");
    untouched_ = outside();
  }

  const std::filesystem::path& into() const { return into_; }
  std::filesystem::path archive() const { return root_ / "archives/sample-archive"; }
  BuiltArchive put(std::string_view bytes) const { return put_archive(archive(), bytes); }

  // Ready to unpack what put() has put.
  archive::WheelRequest request() const {
    archive::WheelRequest request;
    request.archive = archive();
    request.name = "sample-archive";
    request.destination = into_;
    return request;
  }

  std::string read(std::string_view path) const { return root_.read("into/" + std::string(path)); }
  std::string tree() const { return snapshot(into_); }

  // Removes what was unpacked.
  void clear() const {
    std::filesystem::remove_all(into_);
    std::filesystem::create_directory(into_);
  }

  // Everything but the destination's content and the archive, as text.
  std::string outside() const {
    std::string text = snapshot(root_ / "canary");
    for (const auto& name : root_.entries()) {
      if (name != "archives") text += name + "\n";
    }
    return text;
  }
  bool is_untouched() const { return outside() == untouched_; }

  // Whether all in the destination is of the kinds that may be there: folders, plain files
  // without special modes, relative links that stay inside.
  bool holds_only_tame_entries() const {
    namespace fs = std::filesystem;
    for (const auto& entry : fs::recursive_directory_iterator(into_)) {
      const auto mode = static_cast<unsigned>(entry.symlink_status().permissions());
      if (entry.is_symlink()) {
        const fs::path target = fs::read_symlink(entry.path());
        const fs::path leads_to = fs::weakly_canonical(entry.path().parent_path() / target);
        const std::string within = leads_to.lexically_relative(into_).string();
        if (target.is_absolute() || within.starts_with("..")) return false;
      } else if (!entry.is_directory() && !entry.is_regular_file()) {
        return false;
      } else if ((mode & 07000u) != 0) {
        return false;
      }
    }
    return true;
  }

 private:
  TempDir root_;
  std::filesystem::path into_;
  std::string untouched_;
};

// What `action` ended with, or nothing where it ended well.
template <typename Action>
std::optional<Error> error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

inline const archive::Entry* find(const std::vector<archive::Entry>& entries,
                                  std::string_view path) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.path == path; });
  return found == entries.end() ? nullptr : &*found;
}

// Asks to stop once it has been polled `patience` times.
class ImpatientInterrupt final : public Interrupt {
 public:
  explicit ImpatientInterrupt(int patience) : patience_(patience) {}
  int requested() const noexcept override { return --patience_ < 0 ? 2 : 0; }

 private:
  mutable std::atomic<int> patience_;
};

}  // namespace cudaenv::test
