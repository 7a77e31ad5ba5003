#include <atomic>
#include <cerrno>
#include <thread>
#include <unistd.h>

#include <doctest/doctest.h>

#include "store/inventory.hpp"
#include "store/links.hpp"
#include "store/staging.hpp"
#include "store/store.hpp"
#include "sys/file.hpp"
#include "unit/store/sample.hpp"
#include "unit/store/syscalls.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;
using namespace cudaenv::store;
using cudaenv::test::Child;
using cudaenv::test::digest_of;
using cudaenv::test::make_prefix;
using cudaenv::test::make_staged;
using cudaenv::test::TempDir;
namespace fs = std::filesystem;

TEST_CASE("the default link always resolves while it moves 200 times") {
  const TempDir dir;
  const Layout layout = Layout::user(dir.path());
  const fs::path one = make_prefix(layout, "cuda-12.1.1", "12.1.1");
  const fs::path two = make_prefix(layout, "cuda-13.0.2", "13.0.2");
  const PrefixLink link(layout.default_link());
  link.point_to(one, false);

  std::atomic<bool> done{false};
  std::atomic<int> looks{0};
  std::atomic<int> misses{0};
  std::thread reader([&] {
    const std::string nvcc = (layout.default_link() / "bin/nvcc").string();
    while (!done) {
      if (::access(nvcc.c_str(), R_OK) != 0) ++misses;
      ++looks;
    }
  });
  for (int i = 0; i < 200; ++i) link.point_to(i % 2 ? one : two, false);
  done = true;
  reader.join();
  CHECK(misses == 0);
  CHECK(looks > 100);
  CHECK(link.target() == one);
}

TEST_CASE("two processes that move one link leave it whole, and nothing beside it") {
  const TempDir dir;
  const Layout layout = Layout::user(dir.path());
  const fs::path one = make_prefix(layout, "cuda-12.1.1", "12.1.1");
  const fs::path two = make_prefix(layout, "cuda-13.0.2", "13.0.2");
  PrefixLink(layout.default_link()).point_to(one, false);
  const auto mover = [&] {
    const PrefixLink link(layout.default_link());
    for (int i = 0; i < 100; ++i) link.point_to(i % 2 ? one : two, false);
    return 0;
  };
  Child first(mover);
  Child second(mover);
  CHECK(first.wait() == 0);
  CHECK(second.wait() == 0);
  CHECK(PrefixLink(layout.default_link()).state() == PrefixLink::State::ours);
  CHECK(dir.entries() == std::set<std::string>{"cuda", "cuda-12.1.1", "cuda-13.0.2"});
}

TEST_CASE("processes that publish the same entries while others sweep all succeed") {
  const test::WithoutSyncs quick;
  const TempDir dir;
  const Layout layout = Layout::user(dir.path());
  constexpr int entries = 25;
  const auto publisher = [&] {
    const ComponentStore store(layout);
    for (int i = 0; i < entries; ++i) {
      const Staging staging(layout, "publish");
      const auto files = make_staged(staging.path(), std::to_string(i));
      store.publish(digest_of(std::to_string(i)), "all", staging.path(), files);
      const auto entry = store.find(digest_of(std::to_string(i)), "all");
      if (!entry || sys::read_file(entry->tree / "bin/tool") != std::to_string(i)) return 1;
    }
    return 0;
  };
  const auto sweeper = [&] {
    while (true) {
      sweep(layout);
      ::usleep(500);
    }
    return 0;
  };
  Child sweep_one(sweeper);
  Child sweep_two(sweeper);
  Child first(publisher);
  Child second(publisher);
  CHECK(first.wait() == 0);
  CHECK(second.wait() == 0);
  CHECK(ComponentStore(layout).entries(false).size() == entries);
}

TEST_CASE("no staging folder is swept between its creation and its use") {
  const TempDir dir;
  const Layout layout = Layout::user(dir.path());
  const auto user = [&] {
    for (int i = 0; i < 100; ++i) {
      const Staging staging(layout, "use");
      sys::create_directory(staging.path() / "tree");
      sys::write_atomically(staging.path() / "tree/file", "x", 0644, false);
      if (sys::read_file(staging.path() / "tree/file") != "x") return 1;
    }
    return 0;
  };
  Child sweeper([&] {
    while (true) {
      sweep(layout);
      ::usleep(500);
    }
    return 0;
  });
  Child first(user);
  Child second(user);
  CHECK(first.wait() == 0);
  CHECK(second.wait() == 0);
}

TEST_CASE("an inventory read while prefixes come and go has only whole ones") {
  const TempDir dir;
  const Layout layout = Layout::user(dir.path());
  make_prefix(layout, "cuda-13.0.2", "13.0.2");
  Child writer([&] {
    for (int i = 0;; ++i) {
      // As the installer does it: staged, then one rename.
      make_prefix(layout, "cuda-12.1.1", "12.1.1", ".cuda-12.1.1.staged");
      sys::rename(layout.root() / ".cuda-12.1.1.staged", layout.root() / "cuda-12.1.1");
      discard(layout, layout.root() / "cuda-12.1.1");
    }
    return 0;
  });
  int seen = 0;
  for (int i = 0; i < 1000 || (seen == 0 && i < 100'000); ++i) {
    const auto inventory = Inventory::read({layout});
    REQUIRE(inventory.oddities.empty());
    REQUIRE(inventory.find_name("13.0.2"));
    if (inventory.find_name("12.1.1")) ++seen;
  }
  CHECK(seen > 0);
}
