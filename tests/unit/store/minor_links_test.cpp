#include <doctest/doctest.h>

#include "store/links.hpp"
#include "unit/store/sample.hpp"
#include "unit/store/syscalls.hpp"

using namespace cudaenv;
using cudaenv::store::Layout;
using cudaenv::store::refresh_minor_links;
using cudaenv::test::make_prefix;
using cudaenv::test::TempDir;
namespace fs = std::filesystem;

namespace {

struct Root {
  TempDir dir;
  Layout layout = Layout::system(dir.path());

  std::string minor(const std::string& name) const {
    const fs::path link = dir / name;
    return fs::is_symlink(link) ? fs::read_symlink(link).string() : "no link";
  }
  void link(const std::string& target, const std::string& name) const {
    fs::create_directory_symlink(target, dir / name);
  }
};

}  // namespace

TEST_CASE("each minor link names the newest installed release of its minor") {
  Root root;
  for (const char* release : {"11.8.0", "12.1.0", "12.1.1", "12.10.9", "12.10.10"}) {
    make_prefix(root.layout, "cuda-" + std::string(release), release);
  }
  refresh_minor_links(root.layout);
  CHECK(root.minor("cuda-11.8") == "cuda-11.8.0");
  CHECK(root.minor("cuda-12.1") == "cuda-12.1.1");
  CHECK(root.minor("cuda-12.10") == "cuda-12.10.10");
  CHECK(root.dir.entries().size() == 8);
  // Nothing to do, nothing done.
  CHECK(test::calls_of([&] { refresh_minor_links(root.layout); }, root.dir.path()).empty());
}

TEST_CASE("a minor link follows installs and removals") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.0", "12.1.0");
  refresh_minor_links(root.layout);
  CHECK(root.minor("cuda-12.1") == "cuda-12.1.0");
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  refresh_minor_links(root.layout);
  CHECK(root.minor("cuda-12.1") == "cuda-12.1.1");
  fs::remove_all(root.dir / "cuda-12.1.1");
  refresh_minor_links(root.layout);
  CHECK(root.minor("cuda-12.1") == "cuda-12.1.0");
  fs::remove_all(root.dir / "cuda-12.1.0");
  refresh_minor_links(root.layout);
  CHECK(root.dir.entries().empty());
}

TEST_CASE("no link leads to a prefix that is about to be removed") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.0", "12.1.0");
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  make_prefix(root.layout, "cuda-13.0.0", "13.0.0");
  refresh_minor_links(root.layout);
  refresh_minor_links(root.layout, "cuda-12.1.1");
  CHECK(root.minor("cuda-12.1") == "cuda-12.1.0");
  refresh_minor_links(root.layout, "cuda-13.0.0");
  CHECK(root.minor("cuda-13.0") == "no link");
}

TEST_CASE("a prefix with a name of its own gets no minor link") {
  Root root;
  make_prefix(root.layout, "cuda-12.1-mine", "12.1.1");
  refresh_minor_links(root.layout);
  CHECK(root.dir.entries() == std::set<std::string>{"cuda-12.1-mine"});
}

TEST_CASE("a toolkit of NVIDIA's installer in a minor link's place survives") {
  Root root;
  root.dir.make_file("cuda-12.1/version.json", "{}");
  root.dir.make_file("cuda-12.1/bin/nvcc", "NVIDIA's");
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  const std::string before = test::snapshot(root.dir.path());
  refresh_minor_links(root.layout);
  CHECK(test::snapshot(root.dir.path()) == before);
}

TEST_CASE("a prefix that is called like a minor link is not clobbered") {
  Root root;
  make_prefix(root.layout, "cuda-12.1", "12.1.0");
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  const std::string before = test::snapshot(root.dir.path());
  refresh_minor_links(root.layout);
  CHECK(test::snapshot(root.dir.path()) == before);
}

TEST_CASE("links that others made are left alone, whether they lead somewhere or not") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  make_prefix(root.layout, "cuda-12.1-mine", "12.1.1");
  make_prefix(root.layout, "cuda-11.8.0", "11.8.0");
  make_prefix(root.layout, "cuda-11.7.1", "11.7.1");
  make_prefix(root.layout, "cuda-11.6.2", "11.6.2");
  root.dir.make_dir("opt/cuda-11.8.9");
  root.dir.make_dir("etc/alternatives");
  root.link("cuda-12.1-mine", "cuda-12.1");            // a user's choice
  root.link("opt/cuda-11.8.9", "cuda-11.8");           // another toolkit
  root.link("/opt/no-such/cuda-11.7.1", "cuda-11.7");  // another toolkit, removed
  root.link((root.dir / "etc/alternatives/cuda").string(), "cuda-11.6");
  root.link("cuda-11.6.2", "etc/alternatives/cuda");
  root.link("nowhere", "cuda-9.0");
  root.link("cuda-9.1.1", "cuda-9.2");  // dangling, but of another minor
  const std::string before = test::snapshot(root.dir.path());
  refresh_minor_links(root.layout);
  CHECK(test::snapshot(root.dir.path()) == before);
}

TEST_CASE("our own dangling links are removed, and nothing else in a system root") {
  Root root;
  for (const char* name : {"bin/tool", "lib/x", "share/.y", ".hidden", "cuda-old/x", "cuda/x"}) {
    root.dir.make_file(name, "not ours");
  }
  root.link("nowhere", "mylink");
  const std::string before = test::snapshot(root.dir.path());
  root.link("cuda-12.1.1", "cuda-12.1");
  root.link((root.dir / "cuda-12.2.0").string(), "cuda-12.2");
  refresh_minor_links(root.layout);
  CHECK(test::snapshot(root.dir.path()) == before);
}

TEST_CASE("a moved prefix does not get a link by a release that it is not") {
  Root root;
  make_prefix(root.layout, "cuda-11.8.0", "11.8.0", "cuda-12.1.1");
  refresh_minor_links(root.layout);
  CHECK(root.dir.entries() == std::set<std::string>{"cuda-12.1.1"});
}

TEST_CASE("what a killed command left of a link is removed, and names that only look so are not") {
  Root root;
  const fs::path prefix = make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  root.link("cuda-12.1.1", ".cuda.4711.0");
  root.link("cuda-12.1.1", ".cuda-12.1.4711.12");
  root.link("cuda-12.1.1", ".cuda");
  root.link("cuda-12.1.1", ".cuda.mine");
  root.dir.make_file(".cuda.1.2/x");
  refresh_minor_links(root.layout);
  CHECK(root.dir.entries() ==
        std::set<std::string>{".cuda", ".cuda.mine", ".cuda.1.2", "cuda-12.1", "cuda-12.1.1"});
}
