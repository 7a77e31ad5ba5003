#include "store/store.hpp"

#include <algorithm>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "store/staging.hpp"
#include "unit/store/sample.hpp"
#include "unit/store/syscalls.hpp"

using namespace cudaenv;
using cudaenv::store::ComponentStore;
using cudaenv::store::Layout;
using cudaenv::store::Staging;
using cudaenv::test::digest_of;
using cudaenv::test::make_staged;
using cudaenv::test::TempDir;
namespace fs = std::filesystem;

namespace {

struct Root {
  TempDir dir;
  Layout layout = Layout::user(dir.path());
  ComponentStore store{layout};

  void publish(const std::string& archive, const std::string& filter, const std::string& content) {
    const Staging staging(layout, "test");
    const auto files = make_staged(staging.path(), content);
    store.publish(digest_of(archive), filter, staging.path(), files);
  }
  std::string content(const std::string& archive, const std::string& filter) {
    const auto entry = store.find(digest_of(archive), filter);
    if (!entry) return "absent";
    return dir.read(entry->tree.lexically_relative(dir.path()).string() + "/bin/tool");
  }
};

}  // namespace

TEST_CASE("what was published is found, with its list") {
  Root root;
  CHECK_FALSE(root.store.find(digest_of("a"), "all"));
  CHECK_FALSE(root.store.contains(digest_of("a"), "all"));
  root.publish("a", "all", "content");
  const auto entry = root.store.find(digest_of("a"), "all");
  REQUIRE(entry);
  CHECK(entry->tree == root.layout.store() / digest_of("a").hex() / "tree");
  REQUIRE(entry->files.size() == 2);
  CHECK(entry->files[0].path == "bin/alias");
  CHECK(entry->files[1].sha256 == digest_of("content"));
  CHECK(root.content("a", "all") == "content");
  CHECK_FALSE(root.store.contains(digest_of("b"), "all"));
  CHECK(root.dir.entries(".state/staging").empty());
}

TEST_CASE("the whole archive serves the narrower filters, and not the other way round") {
  Root root;
  root.publish("a", "all", "whole");
  root.publish("b", "no_static", "narrow");
  CHECK(root.content("a", "no_static") == "whole");
  CHECK(root.content("b", "no_static") == "narrow");
  CHECK(root.content("b", "all") == "absent");
  CHECK(root.content("b", "runtime_only") == "absent");
  root.publish("a", "no_static", "narrow of a");
  CHECK(root.content("a", "no_static") == "narrow of a");
  CHECK(root.content("a", "all") == "whole");
}

TEST_CASE("an equal entry that is there already wins, and the staged one goes") {
  Root root;
  root.publish("a", "all", "first");
  const Staging staging(root.layout, "test");
  const auto files = make_staged(staging.path(), "second");
  root.store.publish(digest_of("a"), "all", staging.path(), files);
  CHECK(root.content("a", "all") == "first");
  CHECK_FALSE(fs::exists(staging.path()));
}

TEST_CASE("a damaged entry counts as absent and is replaced") {
  const auto damage = [](const Root& root, const std::string& how) {
    const fs::path entry = root.layout.store() / digest_of("a").hex();
    const std::string list =
        root.dir.read((entry / "files.tsv").lexically_relative(root.dir.path()).string());
    if (how == "no list") fs::remove(entry / "files.tsv");
    if (how == "empty list")
      root.dir.make_file((entry / "files.tsv").lexically_relative(root.dir.path()).string());
    if (how == "cut list") fs::resize_file(entry / "files.tsv", list.size() - 10);
    if (how == "no tree") fs::remove_all(entry / "tree");
    if (how == "no file") fs::remove_all(entry / "tree/bin");
    if (how == "shorter file") fs::resize_file(entry / "tree/bin/tool", 1);
    if (how == "folder for list") {
      fs::remove(entry / "files.tsv");
      fs::create_directory(entry / "files.tsv");
    }
    if (how == "file") {
      fs::remove_all(entry);
      root.dir.make_file(entry.lexically_relative(root.dir.path()).string());
    }
  };
  for (const char* how : {"no list", "empty list", "cut list", "no tree", "no file", "shorter file",
                          "folder for list", "file"}) {
    CAPTURE(how);
    Root root;
    root.publish("a", "all", "old");
    damage(root, how);
    CHECK(root.content("a", "all") == "absent");
    root.publish("a", "all", "new");
    CHECK(root.content("a", "all") == "new");
    CHECK(root.dir.entries(".state/trash").empty());
  }
}

TEST_CASE(
    "the data is on the disk before the list, the list before the name, the name at the end") {
  Root root;
  const Staging staging(root.layout, "test");
  const auto files = make_staged(staging.path(), "content");
  const std::string entry = "/" + digest_of("a").hex();
  auto calls =
      test::calls_of([&] { root.store.publish(digest_of("a"), "all", staging.path(), files); },
                     root.dir.path().string());
  const auto position = [&](const std::string& start, const std::string& end) {
    const auto found = std::find_if(calls.begin(), calls.end(), [&](const std::string& call) {
      return call.starts_with(start) && call.ends_with(end);
    });
    CAPTURE(start);
    CHECK(found != calls.end());
    return found - calls.begin();
  };
  const std::string staged = staging.path().string().substr(root.dir.path().string().size());
  const auto data = position("syncfs " + staged, "");
  const auto list_written = position("write " + staged, "");
  const auto list_synced = position("fsync " + staged + "/.files.tsv", "");
  const auto list_named = position("rename " + staged + "/files.tsv", "");
  const auto folder_synced = position("fsync " + staged, staged);
  const auto published = position("rename /.state/store", entry);
  const auto store_synced = position("fsync /.state/store", "/store");
  CHECK(data < list_written);
  CHECK(list_written < list_synced);
  CHECK(list_synced < list_named);
  CHECK(list_named < folder_synced);
  CHECK(folder_synced < published);
  CHECK(published < store_synced);
  CHECK(store_synced + 1 == static_cast<std::ptrdiff_t>(calls.size()));
}

TEST_CASE("under umask 077 others can read the store, the list and the folders above") {
  Root root;
  const mode_t former = ::umask(077);
  root.publish("a", "all", "content");
  ::umask(former);
  const fs::path entry = root.layout.store() / digest_of("a").hex();
  const auto mode = [](const fs::path& path) {
    return static_cast<unsigned>(fs::status(path).permissions());
  };
  for (const auto& folder : {root.layout.state(), root.layout.store(), entry}) {
    CAPTURE(folder);
    CHECK(mode(folder) == 0755);
  }
  CHECK(mode(entry / "files.tsv") == 0644);
}

TEST_CASE("entries are listed with what they say and, asked for, their size on disk") {
  Root root;
  CHECK(root.store.entries(true).empty());
  root.publish("a", "all", std::string(100'000, 'x'));
  root.publish("b", "no_static", "x");
  const std::string a = digest_of("a").hex();
  const std::string b = digest_of("b").hex();
  // What is no entry of ours is passed over.
  for (const std::string name : {".hidden", "readme", "abc", "lost+found"}) {
    root.dir.make_dir(".state/store/" + name);
  }
  root.dir.make_dir(".state/store/" + a + "-all");
  root.dir.make_dir(".state/store/" + a + "-");
  root.dir.make_dir(".state/store/" + a + "x");
  std::string upper = a;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  root.dir.make_dir(".state/store/" + upper);

  auto entries = root.store.entries(false);
  REQUIRE(entries.size() == 2);
  std::sort(entries.begin(), entries.end(),
            [](const auto& one, const auto& other) { return one.filter < other.filter; });
  CHECK(entries[0].name == a);
  CHECK(entries[0].archive == digest_of("a"));
  CHECK(entries[0].filter == "all");
  CHECK(entries[0].disk_bytes == 0);
  CHECK(entries[1].name == b + "-no_static");
  CHECK(entries[1].filter == "no_static");
  for (const auto& entry : root.store.entries(true)) {
    CHECK(entry.disk_bytes >= (entry.name == a ? 100'000u : 1u));
    CHECK(entry.disk_bytes < 1'000'000u);
  }
}

TEST_CASE("an entry is removed by its name, and nothing else can be") {
  Root root;
  root.publish("a", "all", "a");
  root.publish("b", "all", "b");
  root.dir.make_file("precious", "precious");
  root.store.remove(digest_of("a").hex());
  CHECK_FALSE(root.store.contains(digest_of("a"), "all"));
  CHECK(root.content("b", "all") == "b");
  for (const std::string name : {"..", "../..", "", ".", "../../precious", "readme"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(root.store.remove(name), Error);
  }
  CHECK(test::error_of([&] { root.store.remove(digest_of("a").hex()); }).kind() ==
        ErrorKind::missing);
  CHECK(root.dir.read("precious") == "precious");
  CHECK(root.dir.entries(".state/trash").empty());
}

TEST_CASE("reading an empty store writes nothing") {
  Root root;
  root.store.entries(true);
  root.store.find(digest_of("a"), "no_static");
  CHECK(root.dir.entries().empty());
}
