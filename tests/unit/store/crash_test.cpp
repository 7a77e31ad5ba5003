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
using cudaenv::test::digest_of;
using cudaenv::test::kill_at_every_call;
using cudaenv::test::make_prefix;
using cudaenv::test::make_staged;
using cudaenv::test::TempDir;
namespace fs = std::filesystem;

namespace {

// A root that begins anew for each kill.
struct Root {
  TempDir dir;
  Layout layout = Layout::user(dir / "root");
  ComponentStore store{layout};

  void reset() const {
    fs::remove_all(layout.root());
    fs::create_directories(layout.root());
  }
  void publish(const std::string& content) const {
    const Staging staging(layout, "publish");
    const auto files = make_staged(staging.path(), content);
    store.publish(digest_of("a"), "all", staging.path(), files);
  }
  std::string content() const {
    const auto entry = store.find(digest_of("a"), "all");
    return entry ? sys::read_file(entry->tree / "bin/tool") : "absent";
  }
  // Swept, nothing but entries is left of what was in progress.
  void check_clean_after_sweep() const {
    sweep(layout);
    CHECK(sys::list(layout.staging()).empty());
    CHECK(sys::list(layout.trash()).empty());
  }
};

}  // namespace

TEST_CASE("an entry whose publication is killed at any moment is whole or absent") {
  Root root;
  bool seen_absent = false;
  bool seen_whole = false;
  const int kills = kill_at_every_call([&] { root.reset(); }, [&] { root.publish("new"); },
                                       [&](int n) {
                                         CAPTURE(n);
                                         const std::string content = root.content();
                                         CHECK((content == "new" || content == "absent"));
                                         seen_absent |= content == "absent";
                                         seen_whole |= content == "new";
                                         root.check_clean_after_sweep();
                                         root.publish("new");
                                         CHECK(root.content() == "new");
                                       });
  CHECK(kills > 15);
  CHECK(seen_absent);
  CHECK(seen_whole);
}

TEST_CASE("a damaged entry whose replacement is killed at any moment is absent or replaced") {
  Root root;
  const auto prepare = [&] {
    root.reset();
    root.publish("old");
    fs::remove(root.layout.store() / digest_of("a").hex() / "files.tsv");
  };
  const int kills = kill_at_every_call(
      prepare, [&] { root.publish("new"); },
      [&](int n) {
        CAPTURE(n);
        const std::string content = root.content();
        CHECK((content == "new" || content == "absent"));
        root.check_clean_after_sweep();
        root.publish("new");
        CHECK(root.content() == "new");
        root.check_clean_after_sweep();
      });
  CHECK(kills > 15);
}

TEST_CASE("a default link whose move is killed at any moment names the old or the new prefix") {
  Root root;
  fs::path first;
  fs::path second;
  const auto prepare = [&] {
    root.reset();
    first = make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
    second = make_prefix(root.layout, "cuda-13.0.2", "13.0.2");
    PrefixLink(root.layout.default_link()).point_to(first, false);
  };
  const int kills = kill_at_every_call(
      prepare, [&] { PrefixLink(root.layout.default_link()).point_to(second, false); },
      [&](int n) {
        CAPTURE(n);
        const auto target = PrefixLink(root.layout.default_link()).target();
        REQUIRE(target);
        CHECK((*target == first || *target == second));
        CHECK(Inventory::read({root.layout}).prefixes.size() == 2);
        PrefixLink(root.layout.default_link()).point_to(second, false);
        refresh_minor_links(root.layout);
        CHECK(sys::list(root.layout.root()) == std::vector<std::string>{"cuda", "cuda-12.1",
                                                                        "cuda-12.1.1", "cuda-13.0",
                                                                        "cuda-13.0.2"});
      });
  CHECK(kills == 3);
}

TEST_CASE(
    "a prefix whose removal is killed at any moment is whole or gone, and its rest is swept") {
  Root root;
  const auto prepare = [&] {
    root.reset();
    make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  };
  const int kills = kill_at_every_call(
      prepare, [&] { discard(root.layout, root.layout.prefix("cuda-12.1.1")); },
      [&](int n) {
        CAPTURE(n);
        const auto inventory = Inventory::read({root.layout});
        CHECK(inventory.oddities.empty());
        if (!inventory.prefixes.empty()) {
          CHECK(sys::exists(root.layout.prefix("cuda-12.1.1") / "bin/nvcc"));
        } else {
          CHECK_FALSE(sys::exists(root.layout.prefix("cuda-12.1.1")));
        }
        root.check_clean_after_sweep();
      });
  CHECK(kills > 5);
}

TEST_CASE("a sweep that is killed at any moment is finished by the next") {
  Root root;
  const auto prepare = [&] {
    root.reset();
    test::in_child([&] {
      const Staging one(root.layout, "killed");
      const Staging two(root.layout, "killed");
      fs::create_directories(one.path() / "tree/bin");
      ::kill(::getpid(), SIGKILL);
      return 0;
    });
  };
  const int kills = kill_at_every_call(
      prepare, [&] { sweep(root.layout); },
      [&](int n) {
        CAPTURE(n);
        root.check_clean_after_sweep();
      });
  CHECK(kills > 8);
}
