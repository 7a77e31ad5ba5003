// uninstall, verify, gc, default on installed prefixes.
#include <algorithm>

#include <doctest/doctest.h>

#include "commands/gc.hpp"
#include "commands/install.hpp"
#include "commands/list.hpp"
#include "commands/locate.hpp"
#include "commands/set_default.hpp"
#include "commands/uninstall.hpp"
#include "commands/verify.hpp"
#include "support/error_text.hpp"
#include "support/mini_mirror.hpp"
#include "support/test_host.hpp"
#include "sys/file.hpp"

using namespace cudaenv;
using commands::Damage;
using test::error_text;
using test::MiniMirror;
using test::TestHost;

namespace {

struct Fixture {
  Fixture() {
    mirror.add_minimal("12.1.1");
    mirror.add_minimal("12.2.0");
    mirror.publish();
    install("12.1.1");
    install("12.2.0");
  }

  void install(const std::string& spec, const std::string& name = {}) {
    commands::InstallRequest request;
    request.spec = spec;
    request.name = name;
    request.mirrors = {mirror.url()};
    request.trust_mirror = true;
    request.profile = "minimal";
    request.platform = "linux-x86_64";
    commands::run_install(commands::prepare_install(request, host.host()), install::Eula::flag,
                          host.host());
  }

  MiniMirror mirror;
  TestHost host;
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "uninstall removes the prefix and what only it used from the store") {
  const auto before = sys::list(host.root() / ".state/store").size();
  const auto result = commands::uninstall({"12.2", "", false}, host.host());
  CHECK(result.name == "cuda-12.2.0");
  CHECK(result.freed_bytes > 0);
  CHECK_FALSE(sys::exists(host.root() / "cuda-12.2.0"));
  CHECK_FALSE(sys::exists(host.root() / "cuda-12.2"));
  CHECK(sys::list(host.root() / ".state/store").size() == before - 5);
  CHECK(commands::verify({"12.1", false, 2}, host.host()).prefixes[0].ok());
}

TEST_CASE_FIXTURE(Fixture, "a prefix with a name of its own is not removed by its release") {
  install("12.2.0", "mine");
  commands::uninstall({"12.2.0", "", false}, host.host());
  const auto what = error_text([&] { commands::uninstall({"12.2.0", "", true}, host.host()); });
  CHECK(what.find("no installed toolkit is called `12.2.0`") == 0);
  CHECK(what.find("`cudaenv uninstall mine`") != std::string::npos);
  CHECK(sys::is_directory(host.root() / "cuda-mine"));
  CHECK(commands::uninstall({"mine", "", false}, host.host()).name == "cuda-mine");
}

TEST_CASE_FIXTURE(Fixture, "the default is not removed, or with force the link goes first") {
  const auto what = error_text([&] { commands::uninstall({"12.1", "", false}, host.host()); });
  CHECK(what.find("cuda-12.1.1 is the default") == 0);
  CHECK(sys::is_directory(host.root() / "cuda-12.1.1"));
  const auto result = commands::uninstall({"12.1", "", true}, host.host());
  CHECK(result.default_removed);
  CHECK_FALSE(sys::exists(host.root() / "cuda"));
  CHECK_FALSE(sys::exists(host.root() / "cuda-12.1.1"));
}

TEST_CASE_FIXTURE(Fixture, "a prefix that holds a user's files is not removed without force") {
  host.folder().make_file("root/cuda-12.2.0/lib/mine.so", "work");
  const auto what = error_text([&] { commands::uninstall({"12.2", "", false}, host.host()); });
  CHECK(what.find("1 file that cudaenv did not put there: lib/mine.so") != std::string::npos);
  CHECK(host.folder().read("root/cuda-12.2.0/lib/mine.so") == "work");
  commands::uninstall({"12.2", "", true}, host.host());
  CHECK_FALSE(sys::exists(host.root() / "cuda-12.2.0"));
}

TEST_CASE_FIXTURE(Fixture, "verify names what is missing, changed, of another mode, and extra") {
  const auto prefix = host.root() / "cuda-12.2.0";
  CHECK(commands::verify({"12.2", false, 2}, host.host()).prefixes[0].damages.empty());
  std::filesystem::remove(prefix / "include/cuda_nvcc.h");
  // As an editor does it: a new file in the old one's place.
  std::filesystem::remove(prefix / "bin/cuda_nvcc");
  host.folder().make_file("root/cuda-12.2.0/bin/cuda_nvcc", "edited");
  std::filesystem::permissions(prefix / "lib/libcuda_nvrtc.so.1",
                               static_cast<std::filesystem::perms>(0600));
  host.folder().make_file("root/cuda-12.2.0/extra.txt", "x");
  const auto verified = commands::verify({"12.2", false, 2}, host.host()).prefixes[0];
  CHECK_FALSE(verified.ok());
  const auto kind = [&](const std::string& path) {
    const auto found = std::find_if(verified.damages.begin(), verified.damages.end(),
                                    [&](const Damage& damage) { return damage.path == path; });
    REQUIRE(found != verified.damages.end());
    return found->kind;
  };
  CHECK(verified.damages.size() == 4);
  CHECK(kind("include/cuda_nvcc.h") == Damage::Kind::missing);
  CHECK(kind("bin/cuda_nvcc") == Damage::Kind::changed);
  CHECK(kind("lib/libcuda_nvrtc.so.1") == Damage::Kind::mode);
  CHECK(kind("extra.txt") == Damage::Kind::extra);
}

TEST_CASE_FIXTURE(Fixture, "gc removes nothing that a prefix uses, and all that none does") {
  CHECK(commands::gc({}, host.host()).entries.empty());
  // As if somebody had deleted it by hand.
  std::filesystem::remove_all(host.root() / "cuda-12.2.0");
  host.folder().make_file("root/.state/downloads/abc.partial", "half");
  const auto look = commands::gc({true, false}, host.host());
  CHECK(look.entries.size() == 5);
  CHECK(look.downloads.size() == 1);
  CHECK(sys::exists(host.root() / ".state/downloads/abc.partial"));
  CHECK(commands::gc({}, host.host()).entries.size() == 5);
  CHECK_FALSE(sys::exists(host.root() / ".state/downloads/abc.partial"));
  CHECK(commands::verify({"12.1", false, 2}, host.host()).prefixes[0].ok());
}

TEST_CASE_FIXTURE(Fixture, "a receipt that cannot be read keeps gc from calling anything unused") {
  host.folder().make_file("root/cuda-12.2.0/.cudaenv/receipt.json", "{");
  CHECK(commands::gc({}, host.host()).entries.empty());
  const auto listed = commands::list({}, host.host());
  CHECK(listed.prefixes.size() == 1);
  CHECK(listed.oddities.size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "default moves, tells and unsets") {
  CHECK(commands::set_default({"", false, false, false}, host.host()).after ==
        host.root() / "cuda-12.1.1");
  commands::set_default({"12.2", false, false, false}, host.host());
  CHECK(std::filesystem::read_symlink(host.root() / "cuda") == "cuda-12.2.0");
  commands::set_default({"", true, false, false}, host.host());
  CHECK_FALSE(sys::exists(host.root() / "cuda"));
  CHECK_FALSE(commands::set_default({"", true, false, false}, host.host()).before);
}

TEST_CASE_FIXTURE(Fixture,
                  "which and prefix name files, and what is missing is said with a way out") {
  CHECK(commands::which("cuda_nvcc", "12.2", host.host()) ==
        host.root() / "cuda-12.2.0/bin/cuda_nvcc");
  CHECK(commands::prefix("", host.host()) == host.root() / "cuda-12.1.1");
  CHECK(commands::prefix("latest", host.host()) == host.root() / "cuda-12.2.0");
  // With a driver older than 12.1 there would be none; no machine of ours has one.
  CHECK(commands::prefix("auto", host.host()) == host.root() / "cuda-12.2.0");
  CHECK(error_text([&] {
          commands::which("cuda_nvc", "12.2", host.host());
        }).find("did you mean `cuda_nvcc`?") != std::string::npos);
  CHECK(error_text([&] { commands::prefix("11.8", host.host()); }) ==
        "no installed toolkit matches `11.8`: installed: 12.2.0, 12.1.1 | install it with `cudaenv "
        "install 11.8`");
  CHECK_THROWS_AS(commands::which("../x", "12.2", host.host()), Error);
}
