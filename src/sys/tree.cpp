#include "sys/tree.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <memory>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <fmt/format.h>

#include "base/text.hpp"
#include "sys/stat_parts.hpp"

namespace cudaenv::sys {
namespace {

constexpr unsigned most_links = 40;      // as the kernel has it
constexpr std::size_t most_steps = 512;  // of one look, those that links add too
constexpr std::size_t most_names = 10'000;

std::optional<Stat> stat_of(const Fd& fd) {
  struct ::stat raw;
  if (::fstat(fd.get(), &raw) != 0) return std::nullopt;
  return to_stat(raw);
}

std::optional<std::string> target_of(int folder, const char* name) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlinkat(folder, name, target.data(), target.size());
  if (length <= 0) return std::nullopt;
  target.resize(static_cast<std::size_t>(length));
  return target;
}

// The kernel's own walk, which stays below `root`; -1 and errno where it fails.
int open_in_root(int root, std::string_view path, bool follow_last) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | (follow_last ? 0 : O_NOFOLLOW);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const std::string name = path.empty() ? "." : std::string(path);
  return static_cast<int>(::syscall(SYS_openat2, root, name.c_str(), &how, sizeof how));
}

// Whether that failed for what the tree holds, and not for want of the call.
bool is_absent(int code) {
  return code == ENOENT || code == ENOTDIR || code == ELOOP || code == EACCES ||
         code == ENAMETOOLONG;
}

// Puts the components of a path before those that are still to walk.
void push_front(std::deque<std::string>& steps, std::string_view path) {
  std::vector<std::string> parts;
  for (const auto part : text::split(path, '/')) {
    if (!part.empty() && part != ".") parts.emplace_back(part);
  }
  steps.insert(steps.begin(), parts.begin(), parts.end());
}

// The folders from the root to where the walk is, each open: ".." goes back to the one before,
// whatever was moved meanwhile, and never above the first.
struct Trail {
  std::vector<Fd> folders;
  std::vector<std::string> names;

  int here() const { return folders.back().get(); }
  void up() {
    if (names.empty()) return;
    folders.pop_back();
    names.pop_back();
  }
  void to_root() {
    while (!names.empty()) up();
  }
  std::string path() const { return names.empty() ? "/" : "/" + text::join(names, "/"); }
};

}  // namespace

std::optional<Tree::Place> Tree::find(std::string_view path, bool follow_last) const {
  Fd root(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root || path.find('\0') != std::string_view::npos) return std::nullopt;
  if (at_once_) {
    Fd fd(open_in_root(root.get(), path, follow_last));
    if (!fd && is_absent(errno)) return std::nullopt;
    if (fd) {
      if (auto real = path_of(fd); !real.empty()) return Place{std::move(fd), std::move(real)};
    }
  }
  return walk(std::move(root), path, follow_last);
}

// The path of what is open, within the tree; empty where /proc does not tell it.
std::string Tree::path_of(const Fd& fd) const {
  const auto real = target_of(AT_FDCWD, fmt::format("/proc/self/fd/{}", fd.get()).c_str());
  if (!real || !real->starts_with('/') || real->ends_with(" (deleted)")) return {};
  if (is_machine()) return *real;
  const std::string& root = root_.native();
  if (*real == root) return "/";
  return real->starts_with(root + "/") ? real->substr(root.size()) : std::string();
}

std::optional<Tree::Place> Tree::walk(Fd root, std::string_view path, bool follow_last) const {
  constexpr int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  Trail trail;
  trail.folders.push_back(std::move(root));
  std::deque<std::string> steps;
  push_front(steps, path);
  unsigned links = 0;
  for (std::size_t walked = 0; !steps.empty(); ++walked) {
    if (walked >= most_steps || steps.size() > most_steps) return std::nullopt;
    const std::string name = std::move(steps.front());
    steps.pop_front();
    if (name == "..") {
      trail.up();
      continue;
    }
    Fd next(::openat(trail.here(), name.c_str(), flags));
    const auto stat = next ? stat_of(next) : std::nullopt;
    if (!stat) return std::nullopt;
    if (stat->kind == Kind::symlink && (follow_last || !steps.empty())) {
      const auto target = target_of(next.get(), "");
      if (!target || ++links > most_links) return std::nullopt;
      if (target->front() == '/') trail.to_root();
      push_front(steps, *target);
      continue;
    }
    trail.folders.push_back(std::move(next));
    trail.names.push_back(name);
  }
  return Place{std::move(trail.folders.back()), trail.path()};
}

std::optional<Stat> Tree::stat(std::string_view path) const {
  const auto place = find(path, true);
  return place ? stat_of(place->fd) : std::nullopt;
}

std::optional<Stat> Tree::link_stat(std::string_view path) const {
  const auto place = find(path, false);
  return place ? stat_of(place->fd) : std::nullopt;
}

bool Tree::is_directory(std::string_view path) const {
  const auto found = stat(path);
  return found && found->kind == Kind::directory;
}

bool Tree::is_file(std::string_view path) const {
  const auto found = stat(path);
  return found && found->kind == Kind::regular;
}

bool Tree::is_program(std::string_view path) const {
  const auto found = stat(path);
  return found && found->kind == Kind::regular && (found->mode & 0111u) != 0;
}

std::optional<std::string> Tree::resolve(std::string_view path) const {
  auto place = find(path, true);
  if (!place) return std::nullopt;
  return std::move(place->path);
}

std::optional<std::string> Tree::link_target(std::string_view path) const {
  const auto place = find(path, false);
  return place ? target_of(place->fd.get(), "") : std::nullopt;
}

std::vector<std::string> Tree::hops(std::string_view path) const {
  std::vector<std::string> result{tree_path("/", path)};
  while (result.size() < 16) {
    const std::string& last = result.back();
    const auto target = link_target(last);
    if (!target) break;
    auto next = tree_path(last.substr(0, last.rfind('/')), *target);
    if (std::find(result.begin(), result.end(), next) != result.end()) break;
    result.push_back(std::move(next));
  }
  return result;
}

std::vector<std::string> Tree::list(std::string_view folder) const {
  std::vector<std::string> names;
  const auto place = find(folder, true);
  if (!place) return names;
  Fd fd(::openat(place->fd.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return names;
  const auto close = [](DIR* stream) { ::closedir(stream); };
  const std::unique_ptr<DIR, decltype(close)> stream(::fdopendir(fd.get()), close);
  if (!stream) return names;
  static_cast<void>(fd.release());
  while (names.size() < most_names) {
    const dirent* entry = ::readdir(stream.get());
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Fd Tree::open_file(std::string_view path) const {
  const auto place = find(path, true);
  const auto before = place ? stat_of(place->fd) : std::nullopt;
  if (!before || before->kind != Kind::regular) return Fd();
  constexpr int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  // The file that was looked at, not what has its name by now: to open a device does something.
  const std::string same = fmt::format("/proc/self/fd/{}", place->fd.get());
  Fd fd(::open(same.c_str(), flags));
  if (fd || errno != ENOENT) return fd;
  // A chroot without /proc. The path has no links, and what was put there meanwhile is not read.
  const Fd root(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  fd = Fd(::openat(root.get(), place->path.substr(1).c_str(), flags | O_NOFOLLOW));
  const auto now = fd ? stat_of(fd) : std::nullopt;
  const bool is_it = now && now->inode == before->inode && now->device == before->device;
  return is_it ? std::move(fd) : Fd();
}

std::optional<std::string> Tree::read(std::string_view path, std::size_t most) const {
  const Fd fd = open_file(path);
  if (!fd) return std::nullopt;
  std::string bytes;
  while (bytes.size() < most) {
    char block[1 << 14];
    const ssize_t got = ::read(fd.get(), block, std::min(sizeof block, most - bytes.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    bytes.append(block, static_cast<std::size_t>(got));
  }
  return bytes;
}

bool Tree::may_use(std::string_view path, bool write) const {
  const auto real = resolve(path);
  if (!real) return false;
  if (is_machine()) return ::access(real->c_str(), write ? R_OK | W_OK : R_OK) == 0;
  const auto found = stat(*real);
  const unsigned needed = write ? 0006u : 0004u;
  return found && (found->mode & needed) == needed;
}

std::string tree_path(std::string_view folder, std::string_view path) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view text) {
    for (const auto part : text::split(text, '/')) {
      if (part.empty() || part == ".") continue;
      if (part != "..") {
        parts.emplace_back(part);
      } else if (!parts.empty()) {
        parts.pop_back();
      }
    }
  };
  if (!path.starts_with('/')) add(folder);
  add(path);
  return "/" + text::join(parts, "/");
}

}  // namespace cudaenv::sys
