#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/interrupt.hpp"
#include "sys/fd.hpp"

namespace cudaenv::sys {

// How to wait for a lock that somebody holds.
struct LockWait {
  std::chrono::milliseconds timeout{std::chrono::minutes(30)};
  const Interrupt* interrupt = nullptr;
  // Called when waiting begins, with a line fit to show ("waiting for process 4711 ..."), and once
  // in a process where the filesystem has no locks.
  std::function<void(std::string_view)> on_wait;
};

// An advisory lock between processes (flock) on a file that is never deleted. It ends with the
// object or with the process. The file is created with mode 0666, so that another user of a
// shared root can lock it too; it holds the owner's process id and what it is doing, for the
// message of whoever waits. A filesystem without flock (some NFS mounts) counts as locked: the work
// is better done unguarded than not at all, and every publication is atomic by itself.
class FileLock {
 public:
  // Waits as `wait` says; Error(busy) names `what`, the holder, the file and CUDAENV_LOCK_TIMEOUT.
  static FileLock exclusive(const std::filesystem::path& file, std::string_view what,
                            const LockWait& wait);
  // Nothing if somebody holds it.
  static std::optional<FileLock> try_exclusive(const std::filesystem::path& file,
                                               std::string_view what);
  static FileLock shared(const std::filesystem::path& file, std::string_view what,
                         const LockWait& wait);

  // False where the filesystem has no locks: nobody is kept out.
  bool guards() const { return guards_; }

 private:
  FileLock(Fd fd, bool guards) : fd_(std::move(fd)), guards_(guards) {}
  static FileLock wait_for(const std::filesystem::path& file, std::string_view what,
                           const LockWait& wait, int operation);
  Fd fd_;
  bool guards_;
};

}  // namespace cudaenv::sys
