#include "store/staging.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <sys/time.h>
#include <utility>

#include <doctest/doctest.h>

#include "sys/file.hpp"
#include "unit/store/sample.hpp"
#include "unit/store/syscalls.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;
using cudaenv::store::discard;
using cudaenv::store::Layout;
using cudaenv::store::Staging;
using cudaenv::store::sweep;
using cudaenv::test::Child;
using cudaenv::test::Gate;
using cudaenv::test::TempDir;
namespace fs = std::filesystem;

namespace {

struct Root {
  TempDir dir;
  Layout layout = Layout::user(dir.path());

  std::set<std::string> staged() const { return dir.entries(".state/staging"); }
  // What a killed process leaves.
  void leave_staging() const {
    test::in_child([&] {
      const Staging staging(layout, "killed");
      std::filesystem::create_directories(staging.path() / "tree/bin");
      ::kill(::getpid(), SIGKILL);
      return 0;
    });
  }
};

void make_old(const fs::path& path) {
  const timeval long_ago[2]{{1'000'000'000, 0}, {1'000'000'000, 0}};
  REQUIRE(::utimes(path.c_str(), long_ago) == 0);
}

}  // namespace

TEST_CASE("a staging folder has a hidden name with its purpose, and goes with its object") {
  Root root;
  {
    const Staging staging(root.layout, "install cuda-12.1.1/../x\n");
    const std::string name = staging.path().filename().string();
    CHECK(name.starts_with(".install-cuda-12.1.1-..-x-."));
    CHECK(staging.path().parent_path() == root.layout.staging());
    CHECK(root.staged() == std::set<std::string>{name, name + ".lock"});
    root.dir.make_file(".state/staging/" + name + "/tree/bin/tool");
  }
  CHECK(root.staged().empty());
}

TEST_CASE("two staging folders of one purpose are two, and their modes ignore the umask") {
  Root root;
  const mode_t former = ::umask(077);
  const Staging one(root.layout, "x");
  const Staging two(root.layout, "x");
  ::umask(former);
  CHECK(one.path() != two.path());
  CHECK(sys::stat_link(one.path())->mode == 0755);
  CHECK(sys::stat_link(root.layout.state())->mode == 0755);
}

TEST_CASE("a folder that was moved away stays, and its lock goes") {
  Root root;
  {
    const Staging staging(root.layout, "x");
    fs::rename(staging.path(), root.dir / "published");
  }
  CHECK(fs::is_directory(root.dir / "published"));
  CHECK(root.staged().empty());
}

TEST_CASE("a staging object can be moved, and its folder lives as long as the last of them") {
  Root root;
  std::optional<Staging> outer;
  fs::path path;
  {
    Staging inner(root.layout, "x");
    path = inner.path();
    outer.emplace(std::move(inner));
  }
  CHECK(outer->path() == path);
  CHECK(fs::is_directory(path));
  CHECK(sweep(root.layout) == 0);
  outer.reset();
  CHECK(root.staged().empty());
}

TEST_CASE("what a killed process left is swept, and what a live one has is not") {
  Root root;
  Gate ready;
  Gate done;
  Child owner([&] {
    const Staging staging(root.layout, "alive");
    ready.open();
    done.pass();
    return fs::is_directory(staging.path()) ? 0 : 1;
  });
  ready.pass();
  root.leave_staging();
  CHECK(root.staged().size() == 4);
  CHECK(sweep(root.layout) == 1);
  CHECK(root.staged().size() == 2);
  CHECK(sweep(root.layout) == 0);
  done.open();
  CHECK(owner.wait() == 0);
  CHECK(root.staged().empty());
  CHECK(root.dir.entries(".state/trash").empty());
}

TEST_CASE("what is left over can be told without sweeping") {
  Root root;
  CHECK_FALSE(has_leftovers(root.layout));
  {
    const Staging alive(root.layout, "prefix-cuda-12.1");
    CHECK(has_leftovers(root.layout));
    CHECK(has_staging(root.layout, "prefix-cuda-12.1"));
    CHECK_FALSE(has_staging(root.layout, "prefix-cuda-12"));
    CHECK_FALSE(has_staging(root.layout, "prefix-cuda-12.1.1"));
  }
  CHECK_FALSE(has_leftovers(root.layout));
  root.dir.make_file(".state/trash/.old.1/x");
  CHECK(has_leftovers(root.layout));
}

TEST_CASE("our own live staging folder survives our own sweep") {
  Root root;
  const Staging staging(root.layout, "x");
  CHECK(sweep(root.layout) == 0);
  CHECK(fs::is_directory(staging.path()));
}

TEST_CASE("a lock without folder and a folder without lock are swept, other names are not") {
  Root root;
  root.dir.make_file(".state/staging/.only-lock.1.lock");
  root.dir.make_file(".state/staging/.only-folder.2/tree/x");
  root.dir.make_file(".state/staging/mine/x");
  CHECK(sweep(root.layout) == 1);
  CHECK(root.staged() == std::set<std::string>{"mine"});
}

TEST_CASE("the trash is emptied of folders, files and links, never of what links lead to") {
  Root root;
  root.dir.make_file("precious/file", "precious");
  root.dir.make_file(".state/trash/.cuda-12.1.1.7.0/bin/nvcc");
  root.dir.make_file(".state/trash/.file");
  fs::create_directory_symlink("../../precious", root.dir / ".state/trash/.link");
  CHECK(sweep(root.layout) == 3);
  CHECK(root.dir.entries(".state/trash").empty());
  CHECK(root.dir.read("precious/file") == "precious");
}

TEST_CASE("sweeping a root that is not there, or has no state, creates nothing") {
  Root root;
  CHECK(sweep(root.layout) == 0);
  CHECK(sweep(Layout::user(root.dir / "missing")) == 0);
  CHECK(root.dir.entries().empty());
}

TEST_CASE("sweeping in a system root touches the state alone") {
  const TempDir dir;
  const Layout layout = Layout::system(dir.path());
  for (const char* name : {"lib/.staging/x", "lib/other/.x.lock", ".x/y", "staging/.a/b",
                           "trash/.a", "cuda-12.1/version.json", ".cuda-12.1.1.7.0/x"}) {
    dir.make_file(name, "not ours");
  }
  const std::string before = test::snapshot(dir.path());
  sweep(layout);
  CHECK(test::snapshot(dir.path()) == before);
  dir.make_file("lib/cudaenv/staging/.killed.1/x");
  CHECK(sweep(layout) == 1);
}

TEST_CASE("a sweep that may not remove something goes on with the rest") {
  if (!test::is_root()) {
    MESSAGE("skipped: needs root to become another user");
    return;
  }
  Root root;
  fs::permissions(root.dir.path(), fs::perms(0777));
  for (const char* folder : {".state/trash", ".state/staging"}) {
    root.dir.make_dir(folder);
    fs::permissions(root.dir / folder, fs::perms(0777));
  }
  fs::permissions(root.dir / ".state", fs::perms(0777));
  root.dir.make_file(".state/trash/.a/roots", "x");
  root.dir.make_dir(".state/trash/.b");
  const int removed = test::in_child([&] {
    if (!test::become_nobody()) return 98;
    return static_cast<int>(sweep(root.layout));
  });
  CHECK(removed == 1);
  CHECK(root.dir.entries(".state/trash") == std::set<std::string>{".a"});
}

TEST_CASE("where locks exclude nobody, only what is a week old is swept") {
  Root root;
  root.dir.make_file(".state/staging/.young.1/x");
  root.dir.make_file(".state/staging/.old.2/x");
  make_old(root.dir / ".state/staging/.old.2");
  // Some network filesystems have no flock.
  const test::WatchedCalls watched(
      [](const test::Call& call) { return call.name == "flock" ? ENOLCK : 0; });
  const Staging alive(root.layout, "alive");
  CHECK(sweep(root.layout) == 1);
  CHECK(fs::exists(root.dir / ".state/staging/.young.1"));
  CHECK_FALSE(fs::exists(root.dir / ".state/staging/.old.2"));
  CHECK(fs::exists(alive.path()));
}

TEST_CASE("a discarded folder is gone from its place in one step, then from the disk") {
  Root root;
  root.dir.make_file("cuda-12.1.1/bin/nvcc");
  fs::permissions(root.dir / "cuda-12.1.1/bin", fs::perms(0555));
  const auto calls =
      test::calls_of([&] { discard(root.layout, root.dir / "cuda-12.1.1"); }, root.dir.path());
  const auto rename = std::find_if(calls.begin(), calls.end(), [](const std::string& call) {
    return call.starts_with("rename /.state/trash/.cuda-12.1.1.");
  });
  const auto removal = std::find_if(calls.begin(), calls.end(), [](const std::string& call) {
    return call.starts_with("unlink");
  });
  REQUIRE(rename != calls.end());
  // Else a power cut could bring it back without what was deleted of it.
  CHECK(*(rename + 1) == "fsync ");
  CHECK(rename + 1 < removal);
  CHECK(root.dir.entries() == std::set<std::string>{".state"});
  CHECK(root.dir.entries(".state/trash").empty());
}

TEST_CASE("a discarded link does not take what it leads to with it") {
  Root root;
  root.dir.make_file("precious/file", "precious");
  fs::create_directory_symlink("precious", root.dir / "link");
  discard(root.layout, root.dir / "link");
  CHECK(root.dir.entries() == std::set<std::string>{".state", "precious"});
  CHECK(root.dir.read("precious/file") == "precious");
}

TEST_CASE("discarding what is not there is an error") {
  Root root;
  CHECK_THROWS_AS(discard(root.layout, root.dir / "missing"), Error);
}
