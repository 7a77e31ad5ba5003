#include "archive/tree_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/entry_path.hpp"
#include "sys/file.hpp"

namespace cudaenv::archive {
namespace {

constexpr int folder_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr unsigned folder_mode = 0755;

std::string name_of(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

// A filesystem that has no modes, or does not let us set them, holds the bytes all the same.
bool is_harmless(int code) { return code == EPERM || code == EOPNOTSUPP; }

}  // namespace

void FileWriter::write(std::string_view bytes) {
  if (bytes.empty()) return;
  hasher_.update(bytes);
  size_ += bytes.size();
  ends_in_hole_ = false;
  if (fd_) sys::write_all(fd_.get(), bytes, tree_.full(path_));
}

void FileWriter::write_hole(std::uint64_t count, const Interrupt& interrupt) {
  if (count == 0) return;
  static const std::string zeros(1 << 18, '\0');
  for (std::uint64_t left = count; left > 0;) {
    interrupt.check();
    const std::uint64_t step = std::min<std::uint64_t>(left, zeros.size());
    hasher_.update(zeros.data(), step);
    left -= step;
  }
  size_ += count;
  ends_in_hole_ = true;
  if (fd_ && ::lseek(fd_.get(), static_cast<off_t>(count), SEEK_CUR) < 0) {
    sys::fail(errno, "write", tree_.full(path_));
  }
}

Digest FileWriter::finish(bool executable) {
  const Digest digest = hasher_.finish();
  tree_.close_file(*this, digest, executable ? 0755 : 0644);
  return digest;
}

TreeWriter::TreeWriter(const std::filesystem::path& root, const Limits& limits)
    : root_(root),
      root_fd_(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      implied_folders_(limits, 0) {
  if (!root_fd_) sys::fail(errno, "open the folder", root);
}

void TreeWriter::add_folder(const std::string& path) {
  if (path.empty()) return;
  const std::scoped_lock lock(mutex_);
  const auto known = nodes_.find(path);
  if (known == nodes_.end()) {
    make_parents(path);
    make_folder(path);
  } else if (known->second.kind != Entry::Kind::directory) {
    refuse(path, "is a folder in the place of an earlier file or link");
  }
}

FileWriter TreeWriter::add_file(const std::string& path, sys::Sha256& hasher) {
  if (path.empty()) refuse(path, "is a file in the place of the whole tree");
  const std::scoped_lock lock(mutex_);
  const auto known = nodes_.find(path);
  if (known != nodes_.end()) {
    if (known->second.kind == Entry::Kind::file) return {*this, path, sys::Fd(), hasher};
    refuse(path, "is a file in the place of an earlier folder or link");
  }
  make_parents(path);
  // O_EXCL: two names that this filesystem takes for one must not overwrite each other.
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  sys::Fd fd(::openat(folder_fd(parent_of(path)), name_of(path).c_str(), flags, 0644));
  if (!fd) sys::fail(errno, "create", full(path));
  nodes_[path].kind = Entry::Kind::file;
  return {*this, path, std::move(fd), hasher};
}

void TreeWriter::close_file(FileWriter& file, const Digest& digest, unsigned mode) {
  if (!file.fd_) {
    const std::scoped_lock lock(mutex_);
    twins_.push_back({file.path_, digest});
    return;
  }
  if (file.ends_in_hole_ && ::ftruncate(file.fd_.get(), static_cast<off_t>(file.size_)) != 0) {
    sys::fail(errno, "write", full(file.path_));
  }
  if (::fchmod(file.fd_.get(), mode) != 0 && !is_harmless(errno)) {
    sys::fail(errno, "set the mode of", full(file.path_));
  }
  // A network filesystem may report a full disk only now.
  if (::close(file.fd_.release()) != 0) sys::fail(errno, "write", full(file.path_));

  const std::scoped_lock lock(mutex_);
  Node& node = nodes_[file.path_];
  node.done = true;
  node.mode = mode;
  node.size = file.size_;
  node.sha256 = digest;
}

bool TreeWriter::add_hard_link(const std::string& path, const std::string& existing) {
  const std::scoped_lock lock(mutex_);
  const auto source = nodes_.find(existing);
  if (source == nodes_.end() || source->second.kind == Entry::Kind::directory) return false;
  if (source->second.kind == Entry::Kind::symlink) {
    if (nodes_.contains(path)) refuse(path, "is a link in the place of an earlier entry");
    make_parents(path);
    nodes_[path].kind = Entry::Kind::symlink;
    links_.add(path, *links_.find(existing));
    return true;
  }
  const Node node = source->second;
  if (!node.done) return false;
  const auto known = nodes_.find(path);
  if (known == nodes_.end()) {
    link_file(path, existing, node);
  } else if (known->second.sha256 != node.sha256) {
    refuse(path, "is there twice, with different content");
  }
  return true;
}

void TreeWriter::link_file(const std::string& path, const std::string& existing, const Node& node) {
  make_parents(path);
  const int target = folder_fd(parent_of(path));
  const sys::Fd kept(::fcntl(target, F_DUPFD_CLOEXEC, 0));
  if (!kept) sys::fail(errno, "open the folder of", full(path));
  const int source = folder_fd(parent_of(existing));
  if (::linkat(source, name_of(existing).c_str(), kept.get(), name_of(path).c_str(), 0) != 0) {
    const int code = errno;
    const bool unsupported = code == EPERM || code == EMLINK || code == EOPNOTSUPP;
    if (!unsupported) sys::fail(code, "create the hard link", full(path));
    sys::copy_file(full(existing), full(path), node.mode);
  }
  nodes_[path] = node;
}

void TreeWriter::add_link(const std::string& path, const std::string& target) {
  if (path.empty()) refuse(path, "is a link in the place of the whole tree");
  check_target(path, target);
  const std::scoped_lock lock(mutex_);
  if (nodes_.contains(path)) {
    const std::string* earlier = links_.find(path);
    if (earlier && *earlier == target) return;
    refuse(path, "is a link in the place of an earlier entry");
  }
  make_parents(path);
  nodes_[path].kind = Entry::Kind::symlink;
  links_.add(path, target);
}

std::vector<Entry> TreeWriter::finish(const Interrupt& interrupt) {
  const std::scoped_lock lock(mutex_);
  for (const Twin& twin : twins_) {
    if (nodes_[twin.path].sha256 != twin.sha256) {
      refuse(twin.path, "is there twice, with different content");
    }
  }
  links_.settle(interrupt);
  for (const auto& [path, target] : links_.targets()) {
    if (::symlinkat(target.c_str(), folder_fd(parent_of(path)), name_of(path).c_str()) != 0) {
      sys::fail(errno, "create the link", full(path));
    }
  }
  std::vector<Entry> entries;
  for (const auto& [path, node] : nodes_) {
    if (node.kind == Entry::Kind::directory && node.has_children) continue;
    const std::string* target = links_.find(path);
    entries.push_back({node.kind, path, node.mode, node.size, node.sha256, target ? *target : ""});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& one, const Entry& other) { return one.path < other.path; });
  return entries;
}

void TreeWriter::make_parents(const std::string& path) {
  const std::string parent(parent_of(path));
  if (parent.empty()) return;
  const auto known = nodes_.find(parent);
  if (known == nodes_.end()) {
    make_parents(parent);
    implied_folders_.add_entry();
    implied_folders_.add_name(parent.size());
    make_folder(parent);
  } else if (known->second.kind == Entry::Kind::symlink) {
    refuse(path, "would be written through a link of the archive");
  } else if (known->second.kind == Entry::Kind::file) {
    refuse(path, "lies below a file of the archive");
  }
  nodes_[parent].has_children = true;
}

void TreeWriter::make_folder(const std::string& path) {
  const int parent = folder_fd(parent_of(path));
  const std::string name = name_of(path);
  if (::mkdirat(parent, name.c_str(), folder_mode) != 0) {
    sys::fail(errno, "create the folder", full(path));
  }
  // The umask has taken bits away.
  if (::fchmodat(parent, name.c_str(), folder_mode, 0) != 0 && !is_harmless(errno)) {
    sys::fail(errno, "set the mode of", full(path));
  }
  nodes_[path].kind = Entry::Kind::directory;
}

int TreeWriter::folder_fd(std::string_view path) {
  if (path.empty()) return root_fd_.get();
  if (open_fd_ && path == open_folder_) return open_fd_.get();
  // From the open folder where that is above: one name a level, however deep a tree is made.
  std::string_view below = path;
  sys::Fd fd;
  if (open_fd_ && path.starts_with(open_folder_ + "/")) {
    below.remove_prefix(open_folder_.size() + 1);
    fd = std::move(open_fd_);
  }
  for (const std::string_view name : components(below)) {
    const int above = fd ? fd.get() : root_fd_.get();
    fd = sys::Fd(::openat(above, std::string(name).c_str(), folder_flags));
    if (!fd) sys::fail(errno, "open the folder", full(std::string(path)));
  }
  open_fd_ = std::move(fd);
  open_folder_ = path;
  return open_fd_.get();
}

}  // namespace cudaenv::archive
