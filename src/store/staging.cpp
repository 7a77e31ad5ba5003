#include "store/staging.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace cudaenv::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view lock_suffix = ".lock";
constexpr std::size_t random_digits = 16;  // of a staging folder's name

// Creating a staging folder takes two steps (its lock, then the folder), and so does finding out
// that one has no owner. Both do their steps while they hold this one lock, so that neither sees
// the other halfway. Held for moments: sweeping only renames under it. Creators share it: their
// names differ.
fs::path area_lock(const Layout& layout) { return layout.state() / "staging.lock"; }

fs::path lock_of(const fs::path& folder) {
  return folder.parent_path() / (folder.filename().string() + std::string(lock_suffix));
}

// All but the random part of a staging folder's name.
std::string name_start(const std::string& purpose) {
  std::string name = ".";
  for (const char c : purpose.substr(0, 60)) {
    const bool plain = text::is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
    name += plain ? c : '-';
  }
  return name + ".";
}

// ".install-cuda-12.1.1.9f86d081884c7d65": never used again, so that a lock file may be deleted
// with its folder, and told apart from those of other hosts and containers, whose process ids
// may be the same.
std::string fresh_name(const std::string& purpose) {
  std::random_device random;
  return name_start(purpose) + fmt::format("{:08x}{:08x}", random(), random());
}

// Takes the folder out of its place in one step. Returns where it is now.
fs::path move_to_trash(const Layout& layout, const fs::path& folder) {
  sys::create_directories(layout.trash());
  while (true) {
    const fs::path place = sys::unused_sibling(layout.trash() / folder.filename());
    if (sys::rename_new(folder, place)) return place;
  }
}

void delete_entry(const fs::path& path) {
  const auto stat = sys::stat_link(path);
  if (stat && stat->kind == sys::Kind::directory) {
    sys::remove_tree(path);
  } else {
    sys::remove_if_present(path);
  }
}

// Whether it could be done. What another user of a shared root left behind, or a filesystem that
// turned read-only, must not fail the command that merely swept before its own work.
template <typename Step>
bool managed(Step&& step) {
  try {
    step();
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The names of staging folders, whether the folder, its lock or both are there.
std::vector<std::string> staging_names(const Layout& layout) {
  std::vector<std::string> names;
  for (std::string name : sys::list(layout.staging())) {
    if (!name.starts_with('.')) continue;
    if (name.ends_with(lock_suffix)) name.resize(name.size() - lock_suffix.size());
    // Sorted, so that "x" comes right before "x.lock".
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

// Some network filesystems have no flock, and every attempt succeeds there. A lock that can be
// taken twice says nothing about its owner; only age is left to go by.
bool is_abandoned(const fs::path& folder) {
  const auto second = sys::FileLock::try_exclusive(lock_of(folder), "sweeping");
  // Taking the lock wrote into its file: that is now, by the filesystem's own clock.
  return !second || is_out_of_use(folder, lock_of(folder));
}

void sweep_staging(const Layout& layout) {
  for (const auto& name : staging_names(layout)) {
    managed([&] {
      const fs::path folder = layout.staging() / name;
      const auto lock = sys::FileLock::try_exclusive(lock_of(folder), "sweeping");
      if (!lock || !is_abandoned(folder)) return;
      if (sys::exists(folder)) move_to_trash(layout, folder);
      // Nobody waits for this file: its name was its owner's alone.
      sys::remove_if_present(lock_of(folder));
    });
  }
}

}  // namespace

Staging::Staging(const Layout& layout, const std::string& purpose) {
  sys::create_directories(layout.staging());
  const auto area = sys::FileLock::shared(area_lock(layout), "the staging area", {});
  path_ = layout.staging() / fresh_name(purpose);
  lock_file_ = lock_of(path_);
  lock_ = sys::FileLock::try_exclusive(lock_file_, purpose);
  if (!lock_) {
    throw Error(ErrorKind::busy, fmt::format("somebody else has locked `{}`", lock_file_.string()));
  }
  sys::create_directory(path_);
}

Staging::Staging(Staging&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      lock_file_(std::exchange(other.lock_file_, {})),
      lock_(std::exchange(other.lock_, std::nullopt)) {}

Staging::~Staging() {
  if (!lock_) return;
  // The folder first: without its lock it would look abandoned, without folder the lock is moot.
  managed([&] { delete_entry(path_); });
  managed([&] { sys::remove_if_present(lock_file_); });
}

std::size_t sweep(const Layout& layout) {
  if (!sys::is_directory(layout.state())) return 0;
  {
    const auto area = sys::FileLock::try_exclusive(area_lock(layout), "sweeping");
    if (area) sweep_staging(layout);
  }
  std::size_t removed = 0;
  const auto trash = sys::list(layout.trash());
  // A process that was killed may not have come to sync the removal of what it moved here.
  if (!trash.empty()) managed([&] { sys::sync_filesystem(layout.trash()); });
  for (const auto& name : trash) {
    if (managed([&] { delete_entry(layout.trash() / name); })) ++removed;
  }
  return removed;
}

bool is_out_of_use(const fs::path& path, const fs::path& just_written) {
  const auto stat = sys::stat_link(path);
  const auto now = sys::stat_link(just_written);
  constexpr std::int64_t week_ns = 7LL * 24 * 3600 * 1'000'000'000;
  return !stat || (now && now->modified_ns - stat->modified_ns > week_ns);
}

bool has_leftovers(const Layout& layout) {
  return !sys::list(layout.staging()).empty() || !sys::list(layout.trash()).empty();
}

bool has_staging(const Layout& layout, const std::string& purpose) {
  const auto names = staging_names(layout);
  const std::string start = name_start(purpose);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name.starts_with(start) && name.size() == start.size() + random_digits;
  });
}

void discard(const Layout& layout, const fs::path& folder) {
  const fs::path place = move_to_trash(layout, folder);
  // Else a power cut could bring the folder back without what was deleted of it.
  sys::sync_directory(folder.parent_path());
  delete_entry(place);
}

}  // namespace cudaenv::store
