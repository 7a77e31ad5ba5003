#include "steps/disk_call.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <functional>
#include <linux/fs.h>
#include <map>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace cudaenv::test {
namespace {

std::string bytes_at(pid_t thread, std::uint64_t address, std::size_t size) {
  std::string bytes(size, '\0');
  const iovec here{bytes.data(), size};
  const iovec there{reinterpret_cast<void*>(address), size};
  const ssize_t got = ::process_vm_readv(thread, &here, 1, &there, 1, 0);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

std::string text_at(pid_t thread, std::uint64_t address) {
  constexpr std::size_t page = 4096;
  std::string text;
  while (text.size() < 2 * page) {
    // Never beyond the page, for the next one may not be there.
    const std::string block = bytes_at(thread, address, page - address % page);
    const auto end = block.find('\0');
    text += block.substr(0, end);
    if (end != std::string::npos || block.empty()) break;
    address += block.size();
  }
  return text;
}

std::string link_at(const std::string& link) {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

// Reads the arguments of one call.
class Reader {
 public:
  Reader(pid_t thread, const std::uint64_t (&arguments)[6])
      : thread_(thread), arguments_(arguments) {}

  std::uint64_t number(int i) const { return arguments_[i]; }
  std::string text(int i) const { return text_at(thread_, arguments_[i]); }
  std::string of_fd(int i) const {
    return link_at(proc() + "/fd/" + std::to_string(static_cast<int>(arguments_[i])));
  }
  std::string path(int i) const { return absolute(link_at(proc() + "/cwd"), text(i)); }
  std::string path_at(int folder, int i) const {
    if (static_cast<int>(arguments_[folder]) == AT_FDCWD) return path(i);
    return absolute(of_fd(folder), text(i));
  }
  std::string data(int address, int size) const {
    return bytes_at(thread_, arguments_[address], static_cast<std::size_t>(arguments_[size]));
  }
  std::string vectors(int address, int count) const {
    std::string all;
    for (std::uint64_t i = 0; i < arguments_[count]; ++i) {
      const auto raw = bytes_at(thread_, arguments_[address] + i * sizeof(iovec), sizeof(iovec));
      if (raw.size() != sizeof(iovec)) break;
      const auto* vector = reinterpret_cast<const iovec*>(raw.data());
      all += bytes_at(thread_, reinterpret_cast<std::uint64_t>(vector->iov_base), vector->iov_len);
    }
    return all;
  }

 private:
  static std::string absolute(const std::string& folder, const std::string& path) {
    return path.starts_with('/') ? path : folder + "/" + path;
  }
  std::string proc() const { return "/proc/" + std::to_string(thread_); }

  pid_t thread_;
  const std::uint64_t (&arguments_)[6];
};

using Decoder = std::function<std::optional<DiskCall>(const Reader&)>;

DiskCall named(const char* name, std::string path, std::string target = {}) {
  DiskCall call;
  call.name = name;
  call.path = std::move(path);
  call.target = std::move(target);
  return call;
}

DiskCall with_mode(DiskCall call, std::uint64_t mode) {
  call.mode = mode;
  return call;
}

DiskCall with_flags(DiskCall call, std::uint64_t flags) {
  call.flags = flags;
  return call;
}

DiskCall written(std::string path, std::string data, std::int64_t offset) {
  DiskCall call = named("write", std::move(path));
  call.data = std::move(data);
  call.offset = offset;
  return call;
}

// Opening changes the disk where it makes a file or empties one.
std::optional<DiskCall> opened(std::string path, std::uint64_t flags, std::uint64_t mode) {
  if ((flags & (O_CREAT | O_TRUNC)) == 0) return std::nullopt;
  return with_flags(with_mode(named("create", std::move(path)), mode), flags);
}

DiskCall unlinked(std::string path, std::uint64_t flags) {
  return named((flags & AT_REMOVEDIR) ? "rmdir" : "unlink", std::move(path));
}

using R = const Reader&;

void add_names(std::map<std::uint64_t, Decoder>& table) {
  table[SYS_openat] = [](R r) { return opened(r.path_at(0, 1), r.number(2), r.number(3)); };
  table[SYS_mkdirat] = [](R r) { return with_mode(named("mkdir", r.path_at(0, 1)), r.number(2)); };
  table[SYS_symlinkat] = [](R r) { return named("symlink", r.path_at(1, 2), r.text(0)); };
  table[SYS_linkat] = [](R r) { return named("link", r.path_at(0, 1), r.path_at(2, 3)); };
  table[SYS_unlinkat] = [](R r) { return unlinked(r.path_at(0, 1), r.number(2)); };
  table[SYS_renameat2] = [](R r) {
    return with_flags(named("rename", r.path_at(0, 1), r.path_at(2, 3)), r.number(4));
  };
#ifdef SYS_open  // newer architectures have only the calls that end in "at"
  table[SYS_open] = [](R r) { return opened(r.path(0), r.number(1), r.number(2)); };
  table[SYS_creat] = [](R r) { return opened(r.path(0), O_CREAT | O_TRUNC, r.number(1)); };
  table[SYS_mkdir] = [](R r) { return with_mode(named("mkdir", r.path(0)), r.number(1)); };
  table[SYS_rmdir] = [](R r) { return named("rmdir", r.path(0)); };
  table[SYS_symlink] = [](R r) { return named("symlink", r.path(1), r.text(0)); };
  table[SYS_link] = [](R r) { return named("link", r.path(0), r.path(1)); };
  table[SYS_unlink] = [](R r) { return unlinked(r.path(0), 0); };
  table[SYS_rename] = [](R r) { return named("rename", r.path(0), r.path(1)); };
  table[SYS_chmod] = [](R r) { return with_mode(named("chmod", r.path(0)), r.number(1)); };
#endif
#ifdef SYS_renameat
  table[SYS_renameat] = [](R r) { return named("rename", r.path_at(0, 1), r.path_at(2, 3)); };
#endif
}

void add_content(std::map<std::uint64_t, Decoder>& table) {
  table[SYS_write] = [](R r) { return written(r.of_fd(0), r.data(1, 2), -1); };
  table[SYS_pwrite64] = [](R r) {
    return written(r.of_fd(0), r.data(1, 2), static_cast<std::int64_t>(r.number(3)));
  };
  table[SYS_writev] = [](R r) { return written(r.of_fd(0), r.vectors(1, 2), -1); };
  table[SYS_ftruncate] = [](R r) {
    DiskCall call = named("truncate", r.of_fd(0));
    call.offset = static_cast<std::int64_t>(r.number(1));
    return call;
  };
  table[SYS_fallocate] = [](R r) { return named("allocate", r.of_fd(0)); };
  table[SYS_copy_file_range] = [](R r) { return named("copy", r.of_fd(0), r.of_fd(2)); };
  table[SYS_ioctl] = [](R r) -> std::optional<DiskCall> {
    if (r.number(1) != FICLONE) return std::nullopt;
    return named("clone", r.of_fd(2), r.of_fd(0));
  };
  table[SYS_fchmod] = [](R r) { return with_mode(named("chmod", r.of_fd(0)), r.number(1)); };
  table[SYS_fchmodat] = [](R r) { return with_mode(named("chmod", r.path_at(0, 1)), r.number(2)); };
}

void add_syncs_and_locks(std::map<std::uint64_t, Decoder>& table) {
  table[SYS_fsync] = [](R r) { return named("fsync", r.of_fd(0)); };
  table[SYS_fdatasync] = [](R r) { return named("fsync", r.of_fd(0)); };
  table[SYS_syncfs] = [](R r) { return named("syncfs", r.of_fd(0)); };
  table[SYS_flock] = [](R r) { return with_flags(named("flock", r.of_fd(0)), r.number(1)); };
}

std::map<std::uint64_t, Decoder> decoders() {
  std::map<std::uint64_t, Decoder> table;
  add_names(table);
  add_content(table);
  add_syncs_and_locks(table);
  return table;
}

}  // namespace

std::optional<DiskCall> disk_call(pid_t thread, std::uint64_t number,
                                  const std::uint64_t (&arguments)[6]) {
  static const std::map<std::uint64_t, Decoder> table = decoders();
  const auto found = table.find(number);
  if (found == table.end()) return std::nullopt;
  return found->second(Reader(thread, arguments));
}

}  // namespace cudaenv::test
