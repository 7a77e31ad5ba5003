#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.hpp"

namespace cudaenv::sys {
namespace {

struct CloseDir {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Dir = std::unique_ptr<DIR, CloseDir>;

// Names in an open folder, without "." and "..".
std::vector<std::string> names_in(DIR* folder, const fs::path& path) {
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(folder);
    if (!entry) {
      if (errno != 0) fail(errno, "read the folder", path);
      break;
    }
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void walk_into(const fs::path& root, const std::string& below, std::vector<TreeEntry>& entries) {
  for (const auto& name : list(root / below)) {
    const std::string path = below.empty() ? name : below + "/" + name;
    const auto stat = stat_link(root / path);
    if (!stat) continue;  // gone since it was listed
    entries.push_back({path, *stat});
    if (stat->kind == Kind::directory) walk_into(root, path, entries);
  }
}

bool is_folder_at(int parent, const char* name) {
  struct ::stat raw;
  return ::fstatat(parent, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(raw.st_mode);
}

// Everything in the folder behind `parent`/`name`, by descriptors: a folder that is swapped for
// a link meanwhile is not followed.
void remove_folder_at(int parent, const char* name, const fs::path& path) {
  Fd fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd && errno == EACCES) {
    ::fchmodat(parent, name, 0700, 0);
    fd = Fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!fd) {
    if (errno == ENOENT) return;
    fail(errno, "open the folder", path);
  }
  // A read-only folder of ours does not let its entries go.
  struct ::stat raw;
  if (::fstat(fd.get(), &raw) == 0 && (raw.st_mode & 0700u) != 0700u) ::fchmod(fd.get(), 0700);

  const int here = fd.get();
  const Dir folder(::fdopendir(fd.release()));
  if (!folder) fail(errno, "open the folder", path);
  for (const auto& entry : names_in(folder.get(), path)) {
    if (::unlinkat(here, entry.c_str(), 0) == 0 || errno == ENOENT) continue;
    const int code = errno;
    // Linux says EISDIR for a folder; POSIX allows EPERM, which has other reasons too.
    if (code != EISDIR && (code != EPERM || !is_folder_at(here, entry.c_str()))) {
      fail(code, "remove", path / entry);
    }
    remove_folder_at(here, entry.c_str(), path / entry);
  }
  if (::unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
    fail(errno, "remove the folder", path);
  }
}

}  // namespace

std::vector<std::string> list(const fs::path& path) {
  const Dir folder(::opendir(path.c_str()));
  if (!folder) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    fail(errno, "read the folder", path);
  }
  return names_in(folder.get(), path);
}

std::vector<TreeEntry> walk(const fs::path& root) {
  std::vector<TreeEntry> entries;
  walk_into(root, "", entries);
  return entries;
}

void remove_tree(const fs::path& path) {
  // With a slash behind it the name of a link means what the link leads to.
  std::string name = path.string();
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  const fs::path folder(name);
  const auto stat = stat_link(folder);
  if (!stat) return;
  if (stat->kind != Kind::directory) {
    fail(ENOTDIR, "remove the folder", folder);
  }
  remove_folder_at(AT_FDCWD, folder.c_str(), folder);
}

}  // namespace cudaenv::sys
