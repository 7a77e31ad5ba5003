#include "sys/lock.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace cudaenv::sys {
namespace {

using Clock = std::chrono::steady_clock;

// The file may lie in a shared root: another user must be able to lock it too. Where it cannot
// be written, reading is enough for flock.
Fd open_lock_file(const fs::path& file) {
  sys::create_directories(file.parent_path());
  Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (fd) {
    struct ::stat raw;
    if (::fstat(fd.get(), &raw) == 0 && raw.st_uid == ::geteuid() &&
        (raw.st_mode & 0666u) != 0666u) {
      ::fchmod(fd.get(), 0666);
    }
    return fd;
  }
  const int code = errno;
  if (code == EACCES || code == EROFS) fd = Fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) fail(code, "open the lock", file);
  return fd;
}

enum class Attempt { taken, held, unsupported };

Attempt try_lock(int fd, int operation, const fs::path& file) {
  while (::flock(fd, operation | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) return Attempt::held;
    if (errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS) return Attempt::unsupported;
    fail(errno, "lock", file);
  }
  return Attempt::taken;
}

// Said once: every lock of a root is on the same filesystem.
void tell_unguarded(const fs::path& file, const LockWait& wait) {
  static std::atomic<bool> told{false};
  if (!wait.on_wait || told.exchange(true)) return;
  wait.on_wait(fmt::format(
      "the filesystem of `{}` has no locks: run one cudaenv at a time there, or name a root on a "
      "local disk with CUDAENV_ROOT",
      text::visible(file.string(), 1000)));
}

void write_holder(int fd, std::string_view what) {
  const std::string line = fmt::format("{} {}\n", ::getpid(), what);
  if (::ftruncate(fd, 0) != 0) return;  // only the words of a message are lost
  [[maybe_unused]] const ssize_t written = ::pwrite(fd, line.data(), line.size(), 0);
}

// "process 4711 (installing cuda-12.1.1)", as far as the file tells.
std::string holder(const fs::path& file) {
  const auto content = read_if_present(file, 4096);
  const std::string_view line = text::trimmed(content ? std::string_view(*content) : "");
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos) return "another process";
  return fmt::format("process {} ({})", text::visible(line.substr(0, blank), 20),
                     text::visible(line.substr(blank + 1), 100));
}

}  // namespace

FileLock FileLock::wait_for(const fs::path& file, std::string_view what, const LockWait& wait,
                            int operation) {
  Fd fd = open_lock_file(file);
  Attempt attempt = try_lock(fd.get(), operation, file);
  if (attempt == Attempt::held) {
    if (wait.on_wait) {
      wait.on_wait(fmt::format("waiting for {}, which holds {}", holder(file), what));
    }
    const auto deadline = Clock::now() + wait.timeout;
    auto pause = std::chrono::milliseconds(5);
    do {
      if (wait.interrupt) wait.interrupt->check();
      if (Clock::now() >= deadline) {
        throw Error(ErrorKind::busy, fmt::format("{} is held by {}", what, holder(file)))
            .because(
                fmt::format("waited {} s for the lock `{}`",
                            std::chrono::duration_cast<std::chrono::seconds>(wait.timeout).count(),
                            file.string()))
            .help("wait for it to end, or set CUDAENV_LOCK_TIMEOUT to more seconds");
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::milliseconds(100));
      attempt = try_lock(fd.get(), operation, file);
    } while (attempt == Attempt::held);
  }
  if (attempt == Attempt::unsupported) tell_unguarded(file, wait);
  if (operation == LOCK_EX) write_holder(fd.get(), what);
  return {std::move(fd), attempt == Attempt::taken};
}

FileLock FileLock::exclusive(const fs::path& file, std::string_view what, const LockWait& wait) {
  return wait_for(file, what, wait, LOCK_EX);
}

FileLock FileLock::shared(const fs::path& file, std::string_view what, const LockWait& wait) {
  return wait_for(file, what, wait, LOCK_SH);
}

std::optional<FileLock> FileLock::try_exclusive(const fs::path& file, std::string_view what) {
  Fd fd = open_lock_file(file);
  const Attempt attempt = try_lock(fd.get(), LOCK_EX, file);
  if (attempt == Attempt::held) return std::nullopt;
  write_holder(fd.get(), what);
  return FileLock(std::move(fd), attempt == Attempt::taken);
}

}  // namespace cudaenv::sys
