#include "unit/store/syscalls.hpp"

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit/sys/child.hpp"

namespace cudaenv::test {
namespace {

Watcher* watcher = nullptr;
bool skips_syncs = false;

// True if the call may go on.
bool passes(const char* name, const char* path) {
  if (!watcher) return true;
  // What the watcher itself does is not watched.
  Watcher* current = std::exchange(watcher, nullptr);
  const int refusal = (*current)({name, path});
  watcher = current;
  if (refusal != 0) errno = refusal;
  return refusal == 0;
}

bool passes(const char* name, int fd) {
  if (!watcher) return true;
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  [[maybe_unused]] const auto length = ::readlink(link.c_str(), path.data(), path.size() - 1);
  return passes(name, path.data());
}

template <typename... Arguments>
long direct(long number, Arguments... arguments) {
  return ::syscall(number, arguments...);
}

}  // namespace

WatchedCalls::WatchedCalls(Watcher new_watcher) { watcher = new Watcher(std::move(new_watcher)); }

WatchedCalls::~WatchedCalls() { delete std::exchange(watcher, nullptr); }

WithoutSyncs::WithoutSyncs() { skips_syncs = true; }

WithoutSyncs::~WithoutSyncs() { skips_syncs = false; }

std::vector<std::string> calls_of(const std::function<void()>& work, const std::string& base) {
  std::vector<std::string> calls;
  const WatchedCalls watched([&](const Call& call) {
    const bool inside = call.path.starts_with(base);
    calls.push_back(call.name + " " + (inside ? call.path.substr(base.size()) : call.path));
    return 0;
  });
  work();
  return calls;
}

int kill_at_every_call(const std::function<void()>& prepare, const std::function<void()>& work,
                       const std::function<void(int)>& check) {
  const WithoutSyncs quick;
  for (int n = 1;; ++n) {
    prepare();
    const int status = in_child([&] {
      int count = 0;
      const WatchedCalls watched([&](const Call&) {
        if (++count == n) ::kill(::getpid(), SIGKILL);
        return 0;
      });
      work();
      return 0;
    });
    if (status == 0) return n - 1;
    if (status != 128 + SIGKILL) throw std::runtime_error("the work failed by itself");
    check(n);
  }
}

}  // namespace cudaenv::test

using cudaenv::test::direct;
using cudaenv::test::passes;
using cudaenv::test::skips_syncs;

extern "C" {

int mkdir(const char* path, mode_t mode) noexcept {
  return passes("mkdir", path) ? static_cast<int>(direct(SYS_mkdirat, AT_FDCWD, path, mode)) : -1;
}

int symlink(const char* target, const char* path) noexcept {
  return passes("symlink", path) ? static_cast<int>(direct(SYS_symlinkat, target, AT_FDCWD, path))
                                 : -1;
}

int rename(const char* from, const char* to) noexcept {
  return passes("rename", to)
             ? static_cast<int>(direct(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0))
             : -1;
}

int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) noexcept {
  return passes("rename", to)
             ? static_cast<int>(direct(SYS_renameat2, from_fd, from, to_fd, to, flags))
             : -1;
}

int unlink(const char* path) noexcept {
  return passes("unlink", path) ? static_cast<int>(direct(SYS_unlinkat, AT_FDCWD, path, 0)) : -1;
}

int unlinkat(int fd, const char* path, int flags) noexcept {
  return passes("unlinkat", path) ? static_cast<int>(direct(SYS_unlinkat, fd, path, flags)) : -1;
}

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
    if (!passes("create", path)) return -1;
  }
  return static_cast<int>(direct(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t write(int fd, const void* data, size_t size) {
  return passes("write", fd) ? direct(SYS_write, fd, data, size) : -1;
}

int fsync(int fd) {
  if (!passes("fsync", fd)) return -1;
  return skips_syncs ? 0 : static_cast<int>(direct(SYS_fsync, fd));
}

int syncfs(int fd) noexcept {
  if (!passes("syncfs", fd)) return -1;
  return skips_syncs ? 0 : static_cast<int>(direct(SYS_syncfs, fd));
}

int chmod(const char* path, mode_t mode) noexcept {
  return passes("chmod", path) ? static_cast<int>(direct(SYS_fchmodat, AT_FDCWD, path, mode)) : -1;
}

int fchmod(int fd, mode_t mode) noexcept {
  return passes("fchmod", fd) ? static_cast<int>(direct(SYS_fchmod, fd, mode)) : -1;
}

int flock(int fd, int operation) noexcept {
  return passes("flock", fd) ? static_cast<int>(direct(SYS_flock, fd, operation)) : -1;
}

}  // extern "C"
