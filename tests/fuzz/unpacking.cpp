#include "fuzz/unpacking.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <sys/mman.h>

#include "fuzz/fuzz.hpp"
#include "sys/file.hpp"

namespace cudaenv::fuzz {

namespace fs = std::filesystem;

namespace {

// In memory where that can be had: thousands of trees a minute are made here.
fs::path scratch_folder() {
  const fs::path base = fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
  std::string pattern = base / "cudaenv-fuzz-XXXXXX";
  expect(::mkdtemp(pattern.data()) != nullptr, "a scratch folder can be made");
  return pattern;
}

bool lies_inside(const fs::path& path, const fs::path& root) {
  const auto [in_root, in_path] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return in_root == root.end();
}

}  // namespace

Unpacking::Unpacking(std::string_view archive)
    : memory_(::memfd_create("archive", MFD_CLOEXEC)),
      archive_("/proc/self/fd/" + std::to_string(memory_.get())),
      outer_(scratch_folder()),
      tree_(outer_ / "tree") {
  sys::write_all(memory_.get(), archive, archive_);
  fs::create_directory(tree_);
}

Unpacking::~Unpacking() {
  std::error_code ignored;
  fs::remove_all(outer_, ignored);
}

archive::WheelRequest Unpacking::request() const {
  archive::WheelRequest request;
  request.archive = archive_;
  request.name = "the archive";
  request.destination = tree_;
  request.limits.bytes = 256 << 10;
  request.limits.entries = 64;
  request.executable = [](const std::string&, std::string_view head) {
    return head.starts_with(
        "\x7f"
        "ELF");
  };
  return request;
}

void Unpacking::clear() const {
  fs::remove_all(tree_);
  fs::create_directory(tree_);
}

void Unpacking::expect_harmless() const {
  expect(sys::list(outer_) == std::vector<std::string>{"tree"}, "nothing is written beside");
  const fs::path root = fs::canonical(tree_);
  for (const auto& entry : sys::walk(tree_)) {
    expect(entry.stat.kind != sys::Kind::other, "no device, fifo or socket");
    if (entry.stat.kind != sys::Kind::symlink) {
      expect((entry.stat.mode & ~0755u) == 0, "no setuid, setgid or sticky bit");
      continue;
    }
    expect(lies_inside(fs::weakly_canonical(root / entry.path), root), "a link stays inside");
  }
}

void Unpacking::expect_as_told(const std::vector<archive::Entry>& entries) const {
  expect_harmless();
  std::size_t leaves = 0;
  for (const auto& found : sys::walk(tree_)) {
    leaves += found.stat.kind != sys::Kind::directory || fs::is_empty(tree_ / found.path);
  }
  expect(leaves == entries.size(), "there are as many files, links and empty folders as told");
  const archive::Entry* before = nullptr;
  for (const auto& entry : entries) {
    expect(!before || before->path < entry.path, "entries are sorted and distinct");
    before = &entry;
    const auto stat = sys::stat_link(tree_ / entry.path);
    expect(stat.has_value(), "an entry is on the disk");
    if (entry.kind == archive::Entry::Kind::file) {
      expect(stat->kind == sys::Kind::regular && stat->size == entry.size, "a file has its size");
      expect(stat->mode == entry.mode && entry.sha256, "a file has its mode and a digest");
    } else if (entry.kind == archive::Entry::Kind::symlink) {
      expect(stat->kind == sys::Kind::symlink, "a link is a link");
      expect(sys::read_symlink(tree_ / entry.path) == entry.target, "a link has its target");
    } else {
      expect(stat->kind == sys::Kind::directory, "a folder is a folder");
    }
  }
}

}  // namespace cudaenv::fuzz
