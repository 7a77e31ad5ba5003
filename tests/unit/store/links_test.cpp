#include "store/links.hpp"

#include <cerrno>

#include <doctest/doctest.h>

#include "sys/file.hpp"
#include "unit/store/sample.hpp"
#include "unit/store/syscalls.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;
using cudaenv::store::Layout;
using cudaenv::store::PrefixLink;
using cudaenv::test::error_of;
using cudaenv::test::make_prefix;
using cudaenv::test::report;
using cudaenv::test::TempDir;
namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;
using State = PrefixLink::State;

namespace {

struct Root {
  TempDir dir;
  Layout layout = Layout::user(dir.path());
  PrefixLink link{layout.default_link()};

  // The chain that NVIDIA's packages make on Debian.
  void make_alternatives() const {
    dir.make_file("cuda-11.7/version.json", "{}");
    dir.make_dir("etc/alternatives");
    fs::create_directory_symlink(dir / "cuda-11.7", dir / "etc/alternatives/cuda");
    fs::create_directory_symlink(dir / "etc/alternatives/cuda", dir / "cuda");
  }
  std::string text() const { return fs::read_symlink(dir / "cuda").string(); }
};

}  // namespace

TEST_CASE("a link is made relative, and moves from one prefix to the next") {
  Root root;
  CHECK(root.link.state() == State::absent);
  CHECK_FALSE(root.link.target());
  CHECK(root.link.hops().empty());

  root.link.point_to(make_prefix(root.layout, "cuda-12.1.1", "12.1.1"), false);
  CHECK(root.text() == "cuda-12.1.1");
  CHECK(root.link.state() == State::ours);
  root.link.point_to(make_prefix(root.layout, "cuda-13.0.2", "13.0.2"), false);
  CHECK(root.text() == "cuda-13.0.2");
  CHECK(root.link.target() == root.dir / "cuda-13.0.2");
  CHECK(root.link.hops() == Paths{root.dir / "cuda-13.0.2"});
  CHECK(root.dir.entries() == std::set<std::string>{"cuda", "cuda-12.1.1", "cuda-13.0.2"});
}

TEST_CASE("a prefix in another root is named absolutely: no link on the way can lead it astray") {
  Root root;
  const TempDir other;
  root.link.point_to(make_prefix(Layout::user(other.path()), "cuda-12.1.1", "12.1.1"), false);
  CHECK(root.text() == (other / "cuda-12.1.1").string());
  CHECK(root.link.state() == State::ours);
}

TEST_CASE("a root can be relocated with its links") {
  Root root;
  const Layout before = Layout::user(root.dir / "before");
  PrefixLink(before.default_link()).point_to(make_prefix(before, "cuda-12.1.1", "12.1.1"), false);
  fs::rename(before.root(), root.dir / "after");
  CHECK(root.dir.read("after/cuda/bin/nvcc") == "cuda-12.1.1");
}

TEST_CASE(
    "a link that points there already is not touched, so that a read-only root is no matter") {
  Root root;
  const fs::path prefix = make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  root.link.point_to(prefix, false);
  CHECK(test::calls_of([&] { root.link.point_to(prefix, false); }, root.dir.path()).empty());
}

TEST_CASE("a link moves by one rename over the old one, then its folder is synced") {
  Root root;
  root.link.point_to(make_prefix(root.layout, "cuda-12.1.1", "12.1.1"), false);
  const fs::path next = make_prefix(root.layout, "cuda-13.0.2", "13.0.2");
  const auto calls = test::calls_of([&] { root.link.point_to(next, false); }, root.dir.path());
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].starts_with("symlink /.cuda."));
  CHECK(calls[1] == "rename /cuda");
  CHECK(calls[2] == "fsync ");
}

TEST_CASE("a chain through update-alternatives is shown hop by hop and not overwritten") {
  Root root;
  root.make_alternatives();
  CHECK(root.link.state() == State::alternatives);
  CHECK(root.link.target() == root.dir / "etc/alternatives/cuda");
  CHECK(root.link.hops() == Paths{root.dir / "etc/alternatives/cuda", root.dir / "cuda-11.7"});

  const fs::path prefix = make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  const std::string before = test::snapshot(root.dir.path());
  const std::string expected =
      "`DIR/cuda` belongs to update-alternatives\n"
      "  `DIR/cuda` -> `DIR/etc/alternatives/cuda` -> `DIR/cuda-11.7`\n"
      "help: choose there with `update-alternatives --config cuda`, or replace the link with "
      "`--force`\n";
  CHECK(report(error_of([&] { root.link.point_to(prefix, false); }), root.dir.path()) == expected);
  CHECK(report(error_of([&] { root.link.remove(false); }), root.dir.path()) == expected);
  CHECK(test::snapshot(root.dir.path()) == before);

  root.link.point_to(prefix, true);
  CHECK(root.text() == "cuda-12.1.1");
  CHECK(fs::exists(root.dir / "etc/alternatives/cuda"));
}

TEST_CASE("alternatives that lead to a prefix of ours still belong to update-alternatives") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  root.dir.make_dir("etc/alternatives");
  fs::create_directory_symlink("../../cuda-12.1.1", root.dir / "etc/alternatives/cuda");
  fs::create_directory_symlink("etc/alternatives/cuda", root.dir / "cuda");
  CHECK(root.link.state() == State::alternatives);
  CHECK(root.link.hops().back() == root.dir / "cuda-12.1.1");
}

TEST_CASE("a foreign link is replaced only by force, and says where it leads") {
  Root root;
  root.dir.make_dir("opt/cuda");
  fs::create_directory_symlink("opt/cuda", root.dir / "cuda");
  CHECK(root.link.state() == State::foreign);
  const fs::path prefix = make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  const std::string expected =
      "`DIR/cuda` is a link that cudaenv did not make\n"
      "  `DIR/cuda` -> `DIR/opt/cuda`\n"
      "help: replace it with `--force`\n";
  CHECK(report(error_of([&] { root.link.point_to(prefix, false); }), root.dir.path()) == expected);
  CHECK(report(error_of([&] { root.link.remove(false); }), root.dir.path()) == expected);
  CHECK(root.text() == "opt/cuda");
  root.link.remove(true);
  CHECK(root.link.state() == State::absent);
  CHECK(fs::is_directory(root.dir / "opt/cuda"));
}

TEST_CASE("a foreign link that leads nowhere says so") {
  Root root;
  fs::create_symlink("/opt/no-such-toolkit", root.dir / "cuda");
  CHECK(root.link.state() == State::foreign);
  CHECK(report(error_of([&] { root.link.remove(false); }), root.dir.path()) ==
        "`DIR/cuda` is a link that cudaenv did not make\n"
        "  `DIR/cuda` -> `/opt/no-such-toolkit`, which is not there\n"
        "help: replace it with `--force`\n");
}

TEST_CASE("a real folder or file is never replaced, whatever the force") {
  Root root;
  root.dir.make_file("cuda/precious", "precious");
  const fs::path prefix = make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  CHECK(root.link.state() == State::directory);
  CHECK_FALSE(root.link.target());
  CHECK(root.link.hops().empty());
  const std::string before = test::snapshot(root.dir.path());
  const std::string expected =
      "`DIR/cuda` is not a link, and cudaenv replaces only links\n"
      "  it is a real folder or file, perhaps a toolkit from NVIDIA's installer\n"
      "help: move it away first: `mv DIR/cuda DIR/cuda.old`\n";
  for (const bool force : {false, true}) {
    CHECK(report(error_of([&] { root.link.point_to(prefix, force); }), root.dir.path()) ==
          expected);
    CHECK(report(error_of([&] { root.link.remove(force); }), root.dir.path()) == expected);
  }
  CHECK(test::snapshot(root.dir.path()) == before);

  root.dir.make_file("file");
  CHECK(PrefixLink(root.dir / "file").state() == State::directory);
}

TEST_CASE("a link of ours whose prefix was removed by hand can be moved and removed") {
  Root root;
  const fs::path prefix = make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  root.link.point_to(prefix, false);
  fs::remove_all(prefix);
  CHECK(root.link.state() == State::ours);
  root.link.point_to(make_prefix(root.layout, "cuda-13.0.2", "13.0.2"), false);
  CHECK(root.text() == "cuda-13.0.2");
  root.link.remove(false);
  CHECK(root.link.state() == State::absent);
  root.link.remove(false);
}

TEST_CASE("a link to a folder beside it without a receipt is foreign") {
  Root root;
  root.dir.make_file("cuda-11.7/version.json", "NVIDIA's");
  fs::create_directory_symlink("cuda-11.7", root.dir / "cuda");
  CHECK(root.link.state() == State::foreign);
}

TEST_CASE("a link through a minor link is ours, with both hops") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  fs::create_directory_symlink("cuda-12.1.1", root.dir / "cuda-12.1");
  fs::create_directory_symlink("cuda-12.1/", root.dir / "cuda");
  CHECK(root.link.state() == State::ours);
  CHECK(root.link.hops() == Paths{root.dir / "cuda-12.1", root.dir / "cuda-12.1.1"});
}

TEST_CASE("a loop ends where it closes, and is foreign") {
  Root root;
  fs::create_symlink("cuda", root.dir / "cuda");
  CHECK(root.link.hops() == Paths{root.dir / "cuda"});
  CHECK(root.link.state() == State::foreign);
  fs::remove(root.dir / "cuda");
  fs::create_symlink("b", root.dir / "a");
  fs::create_symlink("c", root.dir / "b");
  fs::create_symlink("b", root.dir / "c");
  CHECK(PrefixLink(root.dir / "a").hops() == Paths{root.dir / "b", root.dir / "c", root.dir / "b"});
  CHECK(PrefixLink(root.dir / "a").state() == State::foreign);
}

TEST_CASE("a link with .. in it is followed as the filesystem does, through links in between") {
  Root root;
  root.dir.make_dir("real/deep");
  root.dir.make_dir("real/cuda-x");
  fs::create_directory_symlink("real/deep", root.dir / "short");
  fs::create_directory_symlink("short/../cuda-x", root.dir / "cuda");
  CHECK(root.link.hops() == Paths{root.dir / "real/cuda-x"});
}

TEST_CASE("a link given by a relative path is the same link") {
  Root root;
  const fs::path prefix = make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  const int status = test::in_child([&] {
    fs::current_path(root.dir.path());
    PrefixLink("cuda").point_to("cuda-12.1.1", false);
    return PrefixLink("./cuda").target() == prefix ? 0 : 1;
  });
  CHECK(status == 0);
  CHECK(root.text() == "cuda-12.1.1");
}

TEST_CASE("a root that is read-only and one that is not ours are told apart") {
  Root root;
  const fs::path prefix = make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  const auto refused = [&](int code) {
    const test::WatchedCalls watched(
        [&](const test::Call& call) { return call.name == "symlink" ? code : 0; });
    return report(error_of([&] { root.link.point_to(prefix, false); }), root.dir.path());
  };
  CHECK(refused(EROFS) ==
        "cannot create the link `DIR/cuda`: read-only file system\n"
        "help: name a root that can be written with CUDAENV_ROOT\n"
        "help: a shell needs no link: `eval \"$(cudaenv use cuda-12.1.1)\"`\n");
  CHECK(refused(EACCES) ==
        "cannot create the link `DIR/cuda`: permission denied\n"
        "help: run it with sudo, or name a root of your own with CUDAENV_ROOT\n"
        "help: a shell needs no link: `eval \"$(cudaenv use cuda-12.1.1)\"`\n");
  CHECK(root.dir.entries() == std::set<std::string>{"cuda-12.1.1"});
}

TEST_CASE("as another user than root a link in a closed folder is refused, and nothing is left") {
  Root root;
  const fs::path first = make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  const fs::path second = make_prefix(root.layout, "cuda-13.0.2", "13.0.2");
  root.link.point_to(first, false);
  fs::permissions(root.dir.path(), fs::perms(0555));
  const int status = test::in_child([&] {
    if (test::is_root() && !test::become_nobody()) return 98;
    const std::string text =
        report(error_of([&] { root.link.point_to(second, false); }), root.dir.path());
    return text.starts_with("cannot create the link `DIR/cuda`: permission denied\n") ? 0 : 1;
  });
  CHECK(status == 0);
  CHECK(root.text() == "cuda-12.1.1");
  CHECK(root.dir.entries().size() == 3);
  fs::permissions(root.dir.path(), fs::perms(0755));
}

TEST_CASE("a rename that fails leaves the old link and nothing beside it") {
  Root root;
  root.link.point_to(make_prefix(root.layout, "cuda-12.1.1", "12.1.1"), false);
  const fs::path next = make_prefix(root.layout, "cuda-13.0.2", "13.0.2");
  {
    const test::WatchedCalls watched(
        [](const test::Call& call) { return call.name == "rename" ? EIO : 0; });
    CHECK_THROWS_AS(root.link.point_to(next, false), Error);
  }
  CHECK(root.text() == "cuda-12.1.1");
  CHECK(root.dir.entries() == std::set<std::string>{"cuda", "cuda-12.1.1", "cuda-13.0.2"});
}

TEST_CASE("a chain into a folder that may not be looked into is foreign, not a failure") {
  if (!test::is_root()) {
    MESSAGE("skipped: needs root to become another user");
    return;
  }
  Root root;
  fs::permissions(root.dir.path(), fs::perms(0755));
  root.dir.make_dir("closed/cuda");
  fs::create_directory_symlink("closed/cuda", root.dir / "cuda");
  fs::permissions(root.dir / "closed", fs::perms(0700));
  const int status = test::in_child([&] {
    if (!test::become_nobody()) return 98;
    return root.link.state() == State::foreign ? 0 : 1;
  });
  CHECK(status == 0);
}
