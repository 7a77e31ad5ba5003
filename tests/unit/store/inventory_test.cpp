#include "store/inventory.hpp"

#include <algorithm>
#include <ctime>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "support/sanitizer.hpp"
#include "unit/store/sample.hpp"
#include "unit/store/syscalls.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;
using cudaenv::store::Inventory;
using cudaenv::store::Layout;
using cudaenv::store::short_name;
using cudaenv::test::make_prefix;
using cudaenv::test::TempDir;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

Names names(const Inventory& inventory) {
  Names result;
  for (const auto& prefix : inventory.prefixes) result.push_back(prefix.receipt.name);
  return result;
}

std::string found(const Inventory& inventory, const std::string& spec) {
  const auto* prefix = inventory.find(Spec::parse(spec));
  return prefix ? prefix->receipt.name : "nothing";
}

struct Root {
  TempDir dir;
  Layout layout = Layout::user(dir.path());
  Inventory read() const { return Inventory::read({layout}); }
};

}  // namespace

TEST_CASE("prefixes are listed newest first, compared number by number") {
  Root root;
  for (const char* release : {"9.2.148", "13.9.0", "13.10.0", "12.1.1", "12.1.0"}) {
    make_prefix(root.layout, "cuda-" + std::string(release), release);
  }
  make_prefix(root.layout, "cuda-a", "12.1.1");
  const Inventory inventory = root.read();
  CHECK(names(inventory) == Names{"cuda-13.10.0", "cuda-13.9.0", "cuda-12.1.1", "cuda-a",
                                  "cuda-12.1.0", "cuda-9.2.148"});
  CHECK(inventory.oddities.empty());
  CHECK(inventory.prefixes[0].path == root.dir / "cuda-13.10.0");
  CHECK(inventory.prefixes[0].layout.root() == root.dir.path());
  CHECK(inventory.prefixes[0].receipt.components.size() == 3);
}

TEST_CASE("a summary finds the same prefixes without their components") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  make_prefix(root.layout, "cuda-13.0.2", "13.0.2");
  const auto inventory = Inventory::read({root.layout}, Inventory::Detail::summary);
  CHECK(names(inventory) == names(root.read()));
  CHECK(found(inventory, "12") == "cuda-12.1.1");
  CHECK(inventory.prefixes[0].receipt.components.empty());
}

TEST_CASE("fifty prefixes are read in the time of a prompt") {
  Root root;
  for (int i = 0; i < 50; ++i) {
    const std::string release = "12." + std::to_string(i) + ".1";
    auto receipt = test::sample_receipt("cuda-" + release, release);
    for (int more = 0; more < 9; ++more) {
      for (int j = 0; j < 3; ++j) receipt.components.push_back(receipt.components[0]);
    }
    root.dir.make_file("cuda-" + release + "/.cudaenv/receipt.json", store::write_receipt(receipt));
  }
  // The processor's time, and the best of many: the machine may be busy.
  std::clock_t best = CLOCKS_PER_SEC;
  for (int i = 0; i < 20; ++i) {
    const std::clock_t start = std::clock();
    CHECK(Inventory::read({root.layout}, Inventory::Detail::summary).prefixes.size() == 50);
    best = std::min(best, std::clock() - start);
  }
  MESSAGE("50 prefixes: " << 1e3 * static_cast<double>(best) / CLOCKS_PER_SEC << " ms");
  CHECK(best < CLOCKS_PER_SEC / (test::under_sanitizer ? 2 : 50));
}

TEST_CASE("dot names, links, files and folders without a receipt are passed over") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  make_prefix(root.layout, "cuda-12.1.0", "12.1.0", ".cuda-12.1.0.7.0");
  fs::create_directory_symlink("cuda-12.1.1", root.dir / "cuda");
  fs::create_directory_symlink("cuda-12.1.1", root.dir / "cuda-12.1");
  fs::create_directory_symlink("nowhere", root.dir / "cuda-9.0");
  root.dir.make_file("cuda-11.7/version.json", "NVIDIA's own");
  root.dir.make_file("cuda-11.6/.cudaenv", "12.1\n");  // what a project folder has
  root.dir.make_file("cuda-11.5");
  root.dir.make_dir("bin");
  const Inventory inventory = root.read();
  CHECK(names(inventory) == Names{"cuda-12.1.1"});
  CHECK(inventory.oddities.empty());
}

TEST_CASE("a root that is not there is empty, and reading creates nothing") {
  const TempDir dir;
  const Inventory inventory =
      Inventory::read({Layout::user(dir / "user"), Layout::system(dir / "system")});
  CHECK(inventory.prefixes.empty());
  CHECK(inventory.oddities.empty());
  CHECK(dir.entries().empty());
}

TEST_CASE("reading takes no lock and writes nothing, also where nothing may be written") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  CHECK(test::calls_of([&] { root.read(); }, root.dir.path()).empty());
  fs::permissions(root.dir.path(), fs::perms(0555));
  const int status = test::in_child([&] {
    if (test::is_root() && !test::become_nobody()) return 98;
    return root.read().prefixes.size() == 1 ? 0 : 1;
  });
  CHECK(status == 0);
}

TEST_CASE("a name that an earlier root has wins") {
  const TempDir dir;
  const Layout user = Layout::user(dir / "user");
  const Layout system = Layout::system(dir / "system");
  make_prefix(user, "cuda-12.1.1", "12.1.1");
  make_prefix(system, "cuda-12.1.1", "12.1.1");
  make_prefix(system, "cuda-12.1.0", "12.1.0");
  dir.make_dir("system/bin");
  const Inventory inventory = Inventory::read({user, system});
  CHECK(names(inventory) == Names{"cuda-12.1.1", "cuda-12.1.0"});
  CHECK_FALSE(inventory.prefixes[0].layout.is_system());
  CHECK(inventory.prefixes[1].layout.is_system());
}

TEST_CASE("a damaged receipt is reported and does not hide the others") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  const auto damaged = [&](const std::string& name, const std::string& receipt) {
    root.dir.make_file(name + "/.cudaenv/receipt.json", receipt);
  };
  damaged("cuda-1", "");
  damaged("cuda-2", "{\"schema\": 7}");
  damaged("cuda-3", "\x1b[2J");
  damaged("cuda-4", std::string(5u << 20, ' '));
  root.dir.make_dir("cuda-5/.cudaenv/receipt.json");
  root.dir.make_dir("cuda-6/.cudaenv");
  REQUIRE(::mkfifo((root.dir / "cuda-6/.cudaenv/receipt.json").c_str(), 0644) == 0);
  root.dir.make_dir("cuda-7/.cudaenv");
  // Links, which may lead to anybody's, to another prefix's and to nothing.
  root.dir.make_dir("cuda-8");
  fs::create_symlink("../cuda-12.1.1/.cudaenv", root.dir / "cuda-8/.cudaenv");
  root.dir.make_dir("cuda-9/.cudaenv");
  fs::create_symlink("nowhere", root.dir / "cuda-9/.cudaenv/receipt.json");

  const Inventory inventory = root.read();
  CHECK(names(inventory) == Names{"cuda-12.1.1"});
  REQUIRE(inventory.oddities.size() == 9);
  const std::string base = root.dir.path().string();
  CHECK(inventory.oddities[0].path == root.dir / "cuda-1");
  CHECK(inventory.oddities[0].why ==
        "the receipt `" + base + "/cuda-1/.cudaenv/receipt.json` is damaged: it is empty");
  CHECK(inventory.oddities[1].why == "the receipt `" + base +
                                         "/cuda-2/.cudaenv/receipt.json` was written by a newer "
                                         "cudaenv: its schema is 7, this cudaenv knows 1");
  CHECK(inventory.oddities[3].why ==
        "`" + base + "/cuda-4/.cudaenv/receipt.json` is larger than 4.2 MB");
  CHECK(inventory.oddities[4].why == "its receipt is not a file");
  CHECK(inventory.oddities[5].why == "its receipt is not a file");
  CHECK(inventory.oddities[6].why == "it has lost its receipt");
  CHECK(inventory.oddities[7].why == "its `.cudaenv` is not a folder");
  CHECK(inventory.oddities[8].why == "its receipt is not a file");
  for (const auto& oddity : inventory.oddities) {
    CHECK(oddity.why.find_first_of("\n\x1b") == std::string::npos);
    CHECK(oddity.advice.size() == 1);
  }
}

TEST_CASE("a prefix that another user may not read is reported") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  make_prefix(root.layout, "cuda-12.1.0", "12.1.0");
  fs::permissions(root.dir.path(), fs::perms(0755));
  fs::permissions(root.dir / "cuda-12.1.0/.cudaenv", fs::perms(test::is_root() ? 0700 : 0000));
  const int status = test::in_child([&] {
    if (test::is_root() && !test::become_nobody()) return 98;
    const Inventory inventory = root.read();
    const bool as_expected = names(inventory) == Names{"cuda-12.1.1"} &&
                             inventory.oddities.size() == 1 &&
                             inventory.oddities[0].why.ends_with("permission denied");
    return as_expected ? 0 : 1;
  });
  fs::permissions(root.dir / "cuda-12.1.0/.cudaenv", fs::perms(0755));
  CHECK(status == 0);
}

TEST_CASE("a prefix that was moved or copied is called by its folder, and that is reported") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1", "cuda-mine");
  const Inventory inventory = root.read();
  CHECK(names(inventory) == Names{"cuda-mine"});
  REQUIRE(inventory.oddities.size() == 1);
  CHECK(inventory.oddities[0].path == root.dir / "cuda-mine");
  CHECK(inventory.oddities[0].why == "it was moved or copied: its receipt says `cuda-12.1.1`");
  CHECK(found(inventory, "mine") == "cuda-mine");
  CHECK(found(inventory, "12.1.1") == "cuda-mine");
}

TEST_CASE("a folder whose name no command line could say is reported") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1", "my cuda");
  const Inventory inventory = root.read();
  CHECK(inventory.prefixes.empty());
  REQUIRE(inventory.oddities.size() == 1);
  CHECK(inventory.oddities[0].why == "its name is not one that a prefix can have");
}

TEST_CASE("a spec means the newest that matches") {
  Root root;
  for (const char* release : {"11.8.0", "12.1.0", "12.1.1", "12.10.0", "12.9.1", "13.0.2"}) {
    make_prefix(root.layout, "cuda-" + std::string(release), release);
  }
  const Inventory inventory = root.read();
  CHECK(found(inventory, "12") == "cuda-12.10.0");
  CHECK(found(inventory, "12.1") == "cuda-12.1.1");
  CHECK(found(inventory, "12.1.0") == "cuda-12.1.0");
  CHECK(found(inventory, "cuda-12.1") == "cuda-12.1.1");
  CHECK(found(inventory, "latest") == "cuda-13.0.2");
  CHECK(found(inventory, ">=12.1,<13") == "cuda-12.10.0");
  CHECK(found(inventory, "<12") == "cuda-11.8.0");
  CHECK(found(inventory, "!=13.0") == "cuda-12.10.0");
  CHECK(found(inventory, "12.2") == "nothing");
  CHECK(found(inventory, "14") == "nothing");
  CHECK(found(inventory, ">13.0.2") == "nothing");
}

TEST_CASE("auto and system are for the caller to resolve, and find nothing") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  CHECK(found(root.read(), "auto") == "nothing");
  CHECK(found(root.read(), "system") == "nothing");
  CHECK(found(Inventory(), "latest") == "nothing");
}

TEST_CASE("among equal releases the plain name is meant") {
  Root root;
  // By the alphabet the others come first.
  make_prefix(root.layout, "cuda-11.8-cudnn89", "11.8.0");
  make_prefix(root.layout, "cuda-11.8.0", "11.8.0");
  make_prefix(root.layout, "cuda-0", "11.8.0");
  const Inventory inventory = root.read();
  for (const char* spec : {"11", "11.8", "11.8.0", "latest", ">=11"}) {
    CAPTURE(spec);
    CHECK(found(inventory, spec) == "cuda-11.8.0");
  }
  // Even if it lies in a later root.
  const TempDir other;
  const Layout system = Layout::system(other.path());
  make_prefix(system, "cuda-12.1.1", "12.1.1");
  make_prefix(root.layout, "cuda-12.1-mine", "12.1.1");
  CHECK(found(Inventory::read({root.layout, system}), "12.1") == "cuda-12.1.1");
}

TEST_CASE("an own name is found with and without cuda before it") {
  Root root;
  make_prefix(root.layout, "cuda-11.8-cudnn89", "11.8.0");
  make_prefix(root.layout, "cudatest", "12.1.1");
  make_prefix(root.layout, "cuda-12.1", "12.1.0");
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  const Inventory inventory = root.read();
  CHECK(found(inventory, "11.8-cudnn89") == "cuda-11.8-cudnn89");
  CHECK(found(inventory, "cuda-11.8-cudnn89") == "cuda-11.8-cudnn89");
  CHECK(found(inventory, "cudatest") == "cudatest");
  CHECK(found(inventory, "test") == "nothing");
  CHECK(found(inventory, "cudnn89") == "nothing");
  CHECK(inventory.find_name("12.1.1")->receipt.name == "cuda-12.1.1");
  CHECK(inventory.find_name("cuda-12.1.1")->receipt.name == "cuda-12.1.1");
  CHECK_FALSE(inventory.find_name("12"));
  // Somebody has called a prefix exactly so.
  CHECK(found(inventory, "12.1") == "cuda-12.1");
  CHECK(found(inventory, "12") == "cuda-12.1.1");
}

TEST_CASE("a folder renamed to a release that it is not is never taken for that release") {
  Root root;
  make_prefix(root.layout, "cuda-11.8.0", "11.8.0", "cuda-12.1.1");
  const Inventory inventory = root.read();
  CHECK(found(inventory, "12.1.1") == "nothing");
  CHECK(found(inventory, "11.8") == "cuda-12.1.1");
}

TEST_CASE("one toolkit is found without a look into those that cannot be meant") {
  Root root;
  for (const char* version : {"11.8.0", "12.1.0", "12.1.1", "12.2.0"}) {
    make_prefix(root.layout, std::string("cuda-") + version, version);
  }
  make_prefix(root.layout, "mine", "12.1.1");
  for (const char* spec : {"12", "12.1", "12.1.0", "latest", "<12", ">=12,!=12.2", "mine", "9"}) {
    CAPTURE(spec);
    const auto narrow = Inventory::read_for(Spec::parse(spec), {root.layout});
    CHECK(found(narrow, spec) == found(root.read(), spec));
  }
  const auto narrow = Inventory::read_for(Spec::parse("12.1"), {root.layout});
  CHECK(narrow.prefixes.size() == 3);
}

TEST_CASE("a link leads to one prefix, and no other is looked at") {
  Root root;
  make_prefix(root.layout, "cuda-12.1.1", "12.1.1");
  make_prefix(root.layout, "cuda-11.8.0", "11.8.0");
  std::filesystem::create_directory_symlink("cuda-11.8.0", root.layout.root() / "cuda");
  const auto at = [&](const char* name) {
    return Inventory::read_at(root.layout.root() / name, {root.layout});
  };
  REQUIRE(at("cuda"));
  CHECK(at("cuda")->receipt.name == "cuda-11.8.0");
  CHECK(at("cuda-12.1.1/")->receipt.cuda.text() == "12.1.1");
  CHECK_FALSE(at("cuda-13.0"));
  CHECK_FALSE(at("cuda-12.1.1/bin"));
  CHECK_FALSE(Inventory::read_at(root.layout.root() / "cuda", {}));
}

TEST_CASE("the short name is what a command line can say, and is found again") {
  Root root;
  const std::vector<std::pair<std::string, std::string>> expected{
      {"cuda-12.1.1", "12.1.1"},      {"cuda-11.8-cudnn89", "11.8-cudnn89"},
      {"cudatest", "cudatest"},       {"cuda-latest", "cuda-latest"},
      {"cuda-cuda-x", "cuda-cuda-x"}, {"cuda-a", "a"},
      {"cuda--a", "cuda--a"},         {"cuda-auto", "cuda-auto"}};
  for (const auto& [name, shown] : expected) make_prefix(root.layout, name, "12.1.1");
  const Inventory inventory = root.read();
  CHECK(inventory.prefixes.size() == expected.size());
  for (const auto& expectation : expected) {
    const auto& name = expectation.first;
    const auto& shown = expectation.second;
    CAPTURE(name);
    const auto* prefix = inventory.find_name(name);
    REQUIRE(prefix);
    CHECK(short_name(prefix->receipt) == shown);
    CHECK(inventory.find_name(shown) == prefix);
    CHECK(found(inventory, shown) == name);
  }
}
