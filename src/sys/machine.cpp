#include "sys/machine.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <memory>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <climits>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "sys/file.hpp"

namespace cudaenv::sys {
namespace {

unsigned usable_processors() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    const int count = CPU_COUNT(&set);
    if (count > 0) return static_cast<unsigned>(count);
  }
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<unsigned>(online) : 1;
}

}  // namespace

Machine this_machine() {
  Machine machine;
  utsname names;
  if (::uname(&names) == 0) machine.name = names.machine;
  machine.jetson = sys::exists("/etc/nv_tegra_release");
  machine.processors = usable_processors();
  return machine;
}

bool is_root() { return ::geteuid() == 0; }

unsigned user_id() { return ::geteuid(); }

bool is_closed(const fs::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_EACCESS) != 0 && errno == EACCES;
}

fs::path own_program() {
  std::array<char, PATH_MAX> target;
  const ssize_t length = ::readlink("/proc/self/exe", target.data(), target.size());
  if (length > 0) return std::string(target.data(), static_cast<std::size_t>(length));
  // A chroot in which an image is made often has no /proc; the kernel also tells what it was asked
  // to run.
  const auto* named = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  const std::unique_ptr<char, decltype(&std::free)> real(
      named ? ::realpath(named, nullptr) : nullptr, &std::free);
  return real ? fs::path(real.get()) : sys::read_symlink("/proc/self/exe");
}

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

std::string c_library_version() { return ::gnu_get_libc_version(); }

std::string host_name() {
  utsname names;
  return ::uname(&names) == 0 ? names.nodename : "localhost";
}

fs::path working_directory(const std::optional<std::string>& claimed) {
  const fs::path path(claimed.value_or(""));
  struct ::stat here;
  struct ::stat there;
  if (path.is_absolute() && path == path.lexically_normal() && ::stat(".", &here) == 0 &&
      ::stat(path.c_str(), &there) == 0 && here.st_ino == there.st_ino &&
      here.st_dev == there.st_dev) {
    return path;
  }
  std::error_code deleted;
  return fs::current_path(deleted);
}

}  // namespace cudaenv::sys
