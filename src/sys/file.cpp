#include "sys/file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/scope.hpp"
#include "sys/stat_parts.hpp"

namespace cudaenv::sys {
namespace {

bool is_absence(int code) { return code == ENOENT || code == ENOTDIR; }

bool is_reading(std::string_view doing) {
  return doing == "open" || doing.starts_with("read") || doing == "look at";
}

// What the user can do about an errno, or nothing.
std::string advice_for(int code, std::string_view doing) {
  switch (code) {
    case ENOSPC:
      return "free some space, or name another root with CUDAENV_ROOT";
    case EDQUOT:
      return "free some of your quota, or name another root with CUDAENV_ROOT";
    case EROFS:
      return "name a root that can be written with CUDAENV_ROOT";
    case EXDEV:
      return "keep a root and its state on one filesystem, or name another with CUDAENV_ROOT";
    case EACCES:
    case EPERM:
      if (doing == "run") return "it has to be an executable file";
      if (is_reading(doing)) return "run it with sudo, or make it readable for this user";
      return "run it with sudo, or name a root of your own with CUDAENV_ROOT";
    default:
      return {};
  }
}

void read_into(int fd, std::string& bytes, std::uint64_t limit, const fs::path& path) {
  std::array<char, 1 << 16> block;
  while (true) {
    const ssize_t got = ::read(fd, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno, "read", path);
    if (got == 0) return;
    bytes.append(block.data(), static_cast<std::size_t>(got));
    if (bytes.size() > limit) {
      throw Error(ErrorKind::corrupt,
                  fmt::format("`{}` is larger than {}", path.string(), text::bytes(limit)));
    }
  }
}

// For reading the whole of a regular file. A pipe in its place would be waited for, and a device
// may have no end.
Fd open_regular(const fs::path& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct ::stat raw;
  if (!fd || ::fstat(fd.get(), &raw) != 0) return Fd();
  if (!S_ISREG(raw.st_mode)) {
    throw Error(ErrorKind::corrupt,
                fmt::format("`{}` is not a file", text::visible(path.string(), 1000)));
  }
  return fd;
}

fs::path parent_of(const fs::path& path) {
  const fs::path parent = path.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

fs::path nearest_existing(fs::path path) {
  while (!stat_target(path) && path.has_parent_path() && path != path.parent_path()) {
    path = path.parent_path();
  }
  return path.empty() ? fs::path(".") : path;
}

// link(2) and FICLONE say with these that the filesystem or the pair of files cannot do it.
bool is_unsupported(int code) {
  return code == EXDEV || code == EPERM || code == EMLINK || code == EOPNOTSUPP || code == ENOTTY ||
         code == EINVAL || code == ENOSYS;
}

}  // namespace

Stat to_stat(const struct ::stat& raw) {
  Stat result{Kind::other};
  if (S_ISREG(raw.st_mode)) result.kind = Kind::regular;
  if (S_ISDIR(raw.st_mode)) result.kind = Kind::directory;
  if (S_ISLNK(raw.st_mode)) result.kind = Kind::symlink;
  result.mode = raw.st_mode & 07777u;
  result.size = static_cast<std::uint64_t>(raw.st_size);
  result.inode = raw.st_ino;
  result.device = raw.st_dev;
  result.links = raw.st_nlink;
  result.blocks = static_cast<std::uint64_t>(raw.st_blocks);
  result.owner = raw.st_uid;
  result.group = raw.st_gid;
  result.modified_ns = raw.st_mtim.tv_sec * 1'000'000'000LL + raw.st_mtim.tv_nsec;
  result.changed_ns = raw.st_ctim.tv_sec * 1'000'000'000LL + raw.st_ctim.tv_nsec;
  return result;
}

void Fd::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void fail(int code, std::string_view doing, const fs::path& path) {
  const bool full = code == ENOSPC || code == EDQUOT;
  Error error(full ? ErrorKind::full : ErrorKind::system,
              fmt::format("cannot {} `{}`: {}", doing, text::visible(path.string(), 1000),
                          text::lower(std::strerror(code))));
  const std::string advice = advice_for(code, doing);
  if (advice.empty()) throw error;
  throw std::move(error).help(advice);
}

std::optional<Stat> stat_link(const fs::path& path) {
  struct ::stat raw;
  if (::lstat(path.c_str(), &raw) == 0) return to_stat(raw);
  if (is_absence(errno)) return std::nullopt;
  fail(errno, "look at", path);
}

std::optional<Stat> stat_target(const fs::path& path) {
  struct ::stat raw;
  if (::stat(path.c_str(), &raw) == 0) return to_stat(raw);
  if (is_absence(errno) || errno == ELOOP) return std::nullopt;
  fail(errno, "look at", path);
}

bool is_directory(const fs::path& path) {
  const auto found = stat_target(path);
  return found && found->kind == Kind::directory;
}

bool exists(const fs::path& path) { return stat_link(path).has_value(); }

std::string read_file(const fs::path& path, std::uint64_t limit) {
  auto bytes = read_if_present(path, limit);
  if (!bytes) fail(ENOENT, "open", path);
  return std::move(*bytes);
}

std::optional<std::string> read_if_present(const fs::path& path, std::uint64_t limit) {
  const Fd fd = open_regular(path);
  if (!fd) {
    if (is_absence(errno)) return std::nullopt;
    fail(errno, "open", path);
  }
  std::string bytes;
  read_into(fd.get(), bytes, limit, path);
  return bytes;
}

Fd open_read(const fs::path& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) fail(errno, "open", path);
  return fd;
}

Fd create_file(const fs::path& path, unsigned mode) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!fd) fail(errno, "create", path);
  // The umask has taken bits away; a filesystem without modes may refuse, and that is no harm.
  if (::fchmod(fd.get(), mode) != 0 && errno != EPERM && errno != EOPNOTSUPP) {
    fail(errno, "set the mode of", path);
  }
  return fd;
}

void write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno, "write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_atomically(const fs::path& path, std::string_view bytes, unsigned mode, bool durable) {
  const fs::path fresh = unused_sibling(path);
  const OnFailure discard([&] { remove_if_present(fresh); });
  Fd fd = create_file(fresh, mode);
  write_all(fd.get(), bytes, path);
  if (durable && ::fsync(fd.get()) != 0) fail(errno, "sync", path);
  fd.close();
  sys::rename(fresh, path);
  if (durable) sync_directory(parent_of(path));
}

void append(const fs::path& path, std::string_view bytes) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) fail(errno, "open", path);
  write_all(fd.get(), bytes, path);
}

void create_directories(const fs::path& path, unsigned mode) {
  if (sys::is_directory(path)) return;
  const fs::path parent = path.parent_path();
  if (!parent.empty() && parent != path) sys::create_directories(parent, mode);
  if (::mkdir(path.c_str(), mode) != 0) {
    const int code = errno;
    // Somebody else may have made it between the look and now.
    if (code == EEXIST && sys::is_directory(path)) return;
    fail(code, "create the folder", path);
  }
  set_mode(path, mode);
}

void create_directory(const fs::path& path, unsigned mode) {
  if (::mkdir(path.c_str(), mode) != 0) fail(errno, "create the folder", path);
  set_mode(path, mode);
}

void create_symlink(const fs::path& target, const fs::path& path) {
  if (::symlink(target.c_str(), path.c_str()) != 0) fail(errno, "create the link", path);
}

fs::path read_symlink(const fs::path& path) {
  std::string target(4096, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) fail(errno, "read the link", path);
  target.resize(static_cast<std::size_t>(length));
  return target;
}

fs::path canonical(const fs::path& path) {
  std::error_code code;
  fs::path result = fs::canonical(path, code);
  if (code) fail(code.value(), "resolve", path);
  return result;
}

void rename(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    fail(errno, fmt::format("rename `{}` to", text::visible(from.string(), 1000)), to);
  }
}

bool exchange(const fs::path& one, const fs::path& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) {
    return true;
  }
  if (is_unsupported(errno)) return false;
  fail(errno, fmt::format("exchange `{}` with", text::visible(one.string(), 1000)), other);
}

bool rename_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST || errno == ENOTEMPTY) return false;
  if (is_unsupported(errno)) {
    // Without the flag there is a moment between look and rename; callers hold the root's lock.
    if (sys::exists(to)) return false;
    sys::rename(from, to);
    return true;
  }
  fail(errno, fmt::format("rename `{}` to", text::visible(from.string(), 1000)), to);
}

LinkOutcome hard_link(const fs::path& from, const fs::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return LinkOutcome::linked;
  if (is_unsupported(errno)) return LinkOutcome::unsupported;
  fail(errno, "create the hard link", to);
}

LinkOutcome reflink(const fs::path& from, const fs::path& to, unsigned mode) {
  const Fd source = open_read(from);
  Fd copy = create_file(to, mode);
  if (::ioctl(copy.get(), FICLONE, source.get()) == 0) return LinkOutcome::linked;
  const int code = errno;
  copy.close();
  remove_file(to);
  if (is_unsupported(code)) return LinkOutcome::unsupported;
  fail(code, "copy to", to);
}

void copy_file(const fs::path& from, const fs::path& to, unsigned mode) {
  const Fd source = open_read(from);
  Fd copy = create_file(to, mode);
  std::string block(1 << 20, '\0');
  while (true) {
    const ssize_t got = ::read(source.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno, "read", from);
    if (got == 0) break;
    write_all(copy.get(), std::string_view(block.data(), static_cast<std::size_t>(got)), to);
  }
  // A network filesystem may report a full disk only now.
  if (::close(copy.release()) != 0) fail(errno, "write", to);
}

void remove_file(const fs::path& path) {
  if (::unlink(path.c_str()) != 0) fail(errno, "remove", path);
}

bool remove_if_present(const fs::path& path) {
  if (::unlink(path.c_str()) == 0) return true;
  if (is_absence(errno)) return false;
  fail(errno, "remove", path);
}

fs::path unused_sibling(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  while (true) {
    fs::path sibling =
        parent_of(path) / fmt::format(".{}.{}.{}", path.filename().string(), ::getpid(), counter++);
    if (!sys::exists(sibling)) return sibling;
  }
}

void set_mode(const fs::path& path, unsigned mode) {
  if (::chmod(path.c_str(), mode) == 0) return;
  // A file that is otherwise right stays right where modes cannot be set (root_squash, vfat).
  if (errno == EPERM || errno == EOPNOTSUPP || errno == EROFS) return;
  fail(errno, "set the mode of", path);
}

void sync_file(const fs::path& path) {
  const Fd fd = open_read(path);
  if (::fsync(fd.get()) != 0) fail(errno, "sync", path);
}

void sync_directory(const fs::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) fail(errno, "open the folder", path);
  // Some filesystems have nothing to sync for a folder and say EINVAL.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) fail(errno, "sync the folder", path);
}

void sync_filesystem(const fs::path& path) {
  const Fd fd = open_read(path);
  if (::syncfs(fd.get()) != 0) fail(errno, "sync the filesystem of", path);
}

Space free_space(const fs::path& path) {
  const fs::path place = nearest_existing(path);
  struct ::statvfs raw;
  if (::statvfs(place.c_str(), &raw) != 0) fail(errno, "ask for the free space of", place);
  Space space;
  space.bytes = static_cast<std::uint64_t>(raw.f_bavail) * raw.f_frsize;
  // btrfs and some network filesystems count no inodes and say 0 of 0.
  if (raw.f_files > 0) space.inodes = raw.f_favail;
  return space;
}

bool can_write(const fs::path& folder) {
  return ::faccessat(AT_FDCWD, nearest_existing(folder).c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

}  // namespace cudaenv::sys
