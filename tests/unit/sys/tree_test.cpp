#include "sys/tree.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "support/temp_dir.hpp"
#include "sys/file.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;
using cudaenv::test::TempDir;
using Names = std::vector<std::string>;

namespace {

// A folder with a tree "root" in it and a secret beside that.
struct Place {
  TempDir dir;
  sys::Tree tree;

  explicit Place(bool at_once = true) : tree(dir.path() / "root", at_once) {
    dir.make_dir("root");
    dir.make_file("secret", "secret");
  }
  void file(const std::string& path, const std::string& content) const {
    dir.make_file("root/" + path, content);
  }
  void link(const std::string& path, const std::string& target) const {
    sys::create_symlink(target, dir / ("root/" + path));
  }
};

}  // namespace

TEST_CASE("links of a tree are followed inside it, absolute ones too") {
  bool at_once = true;
  SUBCASE("by the kernel") {}
  SUBCASE("step by step") { at_once = false; }
  const Place place(at_once);
  place.file("usr/lib/libcuda.so.580", "library");
  place.link("usr/lib/libcuda.so.1", "libcuda.so.580");
  place.link("lib", "/usr/lib");
  CHECK(place.tree.read("/lib/libcuda.so.1") == "library");
  CHECK(place.tree.resolve("/lib/libcuda.so.1") == "/usr/lib/libcuda.so.580");
  CHECK(place.tree.link_target("/lib") == "/usr/lib");
  CHECK(place.tree.is_directory("/lib"));
  CHECK(place.tree.stat("/lib/libcuda.so.1")->size == 7);
  CHECK(place.tree.link_stat("/lib")->kind == sys::Kind::symlink);
}

TEST_CASE("nothing leads out of a tree") {
  bool at_once = true;
  SUBCASE("by the kernel") {}
  SUBCASE("step by step") { at_once = false; }
  const Place place(at_once);
  place.file("usr/file", "inside");
  place.link("up", "../secret");
  place.link("far", "../../../../../../../../../../etc/passwd");
  place.link("absolute", (place.dir / "secret").string());
  place.link("usr/back", "../../secret");
  for (const char* path :
       {"/up", "/far", "/absolute", "/usr/back", "/../secret", "../secret", "/usr/../../secret"}) {
    CAPTURE(path);
    CHECK_FALSE(place.tree.read(path));
    CHECK_FALSE(place.tree.resolve(path));
  }
  place.file("secret", "the tree's own");
  CHECK(place.tree.read("/up") == "the tree's own");
  CHECK(place.tree.read("/../../usr/../secret") == "the tree's own");
}

TEST_CASE("loops, endless names and deep links end as absent") {
  bool at_once = true;
  SUBCASE("by the kernel") {}
  SUBCASE("step by step") { at_once = false; }
  const Place place(at_once);
  place.link("a", "b");
  place.link("b", "a");
  place.link("self", "self/self/self");
  place.link("grows", "grows/x/../grows/y/grows");
  CHECK_FALSE(place.tree.stat("/a"));
  CHECK_FALSE(place.tree.resolve("/self"));
  CHECK_FALSE(place.tree.read("/grows/x"));
  CHECK(place.tree.hops("/a") == Names{"/a", "/b"});
  std::string path;
  for (int i = 0; i < 5000; ++i) path += "/x";
  CHECK_FALSE(place.tree.stat(path));
  CHECK_FALSE(place.tree.stat(std::string("/usr\0/etc", 9)));
}

TEST_CASE("pipes and what is no file are not opened, and no read is without a bound") {
  bool at_once = true;
  SUBCASE("by the kernel") {}
  SUBCASE("step by step") { at_once = false; }
  const Place place(at_once);
  REQUIRE(::mkfifo((place.dir / "root/pipe").c_str(), 0666) == 0);
  CHECK_FALSE(place.tree.read("/pipe"));
  CHECK_FALSE(place.tree.open_file("/pipe"));
  CHECK(place.tree.stat("/pipe")->kind == sys::Kind::other);
  CHECK_FALSE(place.tree.read("/"));
  place.file("huge", "");
  REQUIRE(::truncate((place.dir / "root/huge").c_str(), 1LL << 40) == 0);
  CHECK(place.tree.read("/huge", 100)->size() == 100);
  CHECK(place.tree.list("/huge").empty());
}

TEST_CASE("each hop of a chain of links is shown") {
  const Place place;
  place.dir.make_dir("root/usr/local/cuda-11.7");
  place.dir.make_dir("root/etc/alternatives");
  place.link("usr/local/cuda", "/etc/alternatives/cuda");
  place.link("etc/alternatives/cuda", "/usr/local/cuda-11.7");
  CHECK(place.tree.hops("/usr/local/cuda") ==
        Names{"/usr/local/cuda", "/etc/alternatives/cuda", "/usr/local/cuda-11.7"});
  CHECK(place.tree.hops("/usr/local/none") == Names{"/usr/local/none"});
}

TEST_CASE("what a user may use is judged by the mode in a tree and by the kernel on the machine") {
  const Place place;
  place.file("open", "");
  place.file("closed", "");
  ::chmod((place.dir / "root/open").c_str(), 0644);
  ::chmod((place.dir / "root/closed").c_str(), 0640);
  CHECK(place.tree.may_use("/open", false));
  CHECK_FALSE(place.tree.may_use("/open", true));
  CHECK_FALSE(place.tree.may_use("/closed", false));
  CHECK_FALSE(place.tree.may_use("/none", false));
  const sys::Tree machine;
  CHECK(machine.may_use("/dev/null", true));
  CHECK(machine.is_machine());
}

TEST_CASE("folders that may not be read are empty, and what lies in them absent") {
  bool at_once = true;
  SUBCASE("by the kernel") {}
  SUBCASE("step by step") { at_once = false; }
  const Place place(at_once);
  place.file("closed/file", "content");
  ::chmod((place.dir / "root/closed").c_str(), 0700);
  ::chmod(place.dir.path().c_str(), 0755);
  const int status = test::in_child([&] {
    if (test::is_root() && !test::become_nobody()) return 77;
    ::chmod((place.dir / "root/closed").c_str(), 0);
    const bool hidden = place.tree.list("/closed").empty() && !place.tree.read("/closed/file");
    ::chmod((place.dir / "root/closed").c_str(), 0700);
    return hidden ? 0 : 1;
  });
  CHECK(status == 0);
}

TEST_CASE("paths are joined by their letters and stay below the root") {
  CHECK(sys::tree_path("/usr", "../lib") == "/lib");
  CHECK(sys::tree_path("/usr/bin/nvcc", "..") == "/usr/bin");
  CHECK(sys::tree_path("/usr", "/etc/./a//b") == "/etc/a/b");
  CHECK(sys::tree_path("/", "../../..") == "/");
}
