#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/temp_dir.hpp"
#include "sys/file.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;
using cudaenv::test::TempDir;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> paths(const std::vector<sys::TreeEntry>& entries) {
  std::vector<std::string> result;
  for (const auto& entry : entries) result.push_back(entry.path);
  return result;
}

}  // namespace

TEST_CASE("a folder is listed with its dot names, sorted by bytes; a missing one is empty") {
  const TempDir dir;
  for (const char* name : {"b", "a", ".hidden", "\xFF", "B", "a-b", "a.b"}) dir.make_file(name);
  CHECK(sys::list(dir.path()) ==
        std::vector<std::string>{".hidden", "B", "a", "a-b", "a.b", "b", "\xFF"});
  CHECK(sys::list(dir / "missing").empty());
  CHECK(sys::list(dir / "a").empty());
}

TEST_CASE("a walk gives parents before children, sorted, and does not follow links") {
  const TempDir dir;
  dir.make_file("b/c", "12");
  dir.make_file("a/z");
  dir.make_file("a/b/c");
  fs::create_symlink("..", dir / "a/up");
  fs::create_symlink("nowhere", dir / "dangling");
  const auto entries = sys::walk(dir.path());
  CHECK(paths(entries) ==
        std::vector<std::string>{"a", "a/b", "a/b/c", "a/up", "a/z", "b", "b/c", "dangling"});
  CHECK(entries[3].stat.kind == sys::Kind::symlink);
  CHECK(entries[6].stat.size == 2);
  CHECK(sys::walk(dir / "missing").empty());
}

TEST_CASE("a tree is removed without what its links lead to") {
  const TempDir dir;
  dir.make_file("precious/file", "precious");
  dir.make_file("tree/a/b/file");
  fs::create_directory_symlink("../../precious", dir / "tree/a/folder");
  fs::create_symlink("../precious/file", dir / "tree/file");
  REQUIRE(::mkfifo((dir / "tree/pipe").c_str(), 0600) == 0);
  sys::remove_tree(dir / "tree");
  CHECK(dir.entries() == std::set<std::string>{"precious"});
  CHECK(dir.read("precious/file") == "precious");
  sys::remove_tree(dir / "tree");
}

TEST_CASE("a link in the tree's place is refused, however it is spelled") {
  const TempDir dir;
  dir.make_file("precious/file", "precious");
  fs::create_directory_symlink("precious", dir / "link");
  CHECK_THROWS_AS(sys::remove_tree(dir / "link"), Error);
  CHECK_THROWS_AS(sys::remove_tree(dir / "link/"), Error);
  CHECK(dir.read("precious/file") == "precious");
  dir.make_file("file");
  CHECK_THROWS_AS(sys::remove_tree(dir / "file"), Error);
  CHECK(sys::exists(dir / "file"));
}

TEST_CASE("read-only folders are removed as well, also by another user than root") {
  const TempDir dir;
  fs::permissions(dir.path(), fs::perms(0777));
  const int status = test::in_child([&] {
    if (test::is_root() && !test::become_nobody()) return 98;
    sys::create_directories(dir / "tree/a/b/c");
    sys::write_atomically(dir / "tree/a/b/file", "x", 0444);
    sys::set_mode(dir / "tree/a/b/c", 0000);
    sys::set_mode(dir / "tree/a/b", 0555);
    sys::set_mode(dir / "tree/a", 0500);
    sys::set_mode(dir / "tree", 0000);
    sys::remove_tree(dir / "tree");
    return sys::exists(dir / "tree") ? 1 : 0;
  });
  CHECK(status == 0);
}

TEST_CASE("what another user owns is an error that names it and the reason") {
  if (!test::is_root()) {
    MESSAGE("skipped: needs root to become another user");
    return;
  }
  const TempDir dir;
  fs::permissions(dir.path(), fs::perms(0755));
  dir.make_file("tree/file");
  const int status = test::in_child([&] {
    if (!test::become_nobody()) return 98;
    try {
      sys::remove_tree(dir / "tree");
    } catch (const Error& error) {
      return error.message().find("/tree/file`: permission denied") != std::string::npos ? 0 : 1;
    }
    return 2;
  });
  CHECK(status == 0);
  CHECK(sys::exists(dir / "tree/file"));
}

TEST_CASE("two processes that remove the same tree are both content") {
  const TempDir dir;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 200; ++i) {
      dir.make_file("tree/" + std::to_string(i % 20) + "/" + std::to_string(i));
    }
    const auto remove = [&] {
      sys::remove_tree(dir / "tree");
      return 0;
    };
    test::Child one(remove);
    test::Child two(remove);
    CHECK(one.wait() == 0);
    CHECK(two.wait() == 0);
    CHECK_FALSE(sys::exists(dir / "tree"));
  }
}

TEST_CASE("a tree with a path longer than a path may be is removed") {
  const TempDir dir;
  const int status = test::in_child([&] {
    const std::string name(200, 'd');
    if (::chdir(dir.path().c_str()) != 0) return 97;
    for (int depth = 0; depth < 100; ++depth) {
      if (::mkdir(name.c_str(), 0755) != 0 || ::chdir(name.c_str()) != 0) return 98;
    }
    sys::remove_tree(dir / name);
    return 0;
  });
  CHECK(status == 0);
  CHECK(dir.entries().empty());
}
