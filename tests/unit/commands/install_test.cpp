#include "commands/install.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "commands/list.hpp"
#include "commands/remote.hpp"
#include "commands/set_default.hpp"
#include "support/error_text.hpp"
#include "support/mini_mirror.hpp"
#include "support/test_host.hpp"
#include "sys/file.hpp"

using namespace cudaenv;
using commands::InstallRequest;
using install::Eula;
using test::error_text;
using test::MiniMirror;
using test::TestHost;

namespace {

InstallRequest request_for(const MiniMirror& mirror, const std::string& spec,
                           const std::string& profile = "minimal") {
  InstallRequest request;
  request.spec = spec;
  request.mirrors = {mirror.url()};
  request.trust_mirror = true;
  request.profile = profile;
  request.platform = "linux-x86_64";
  return request;
}

install::Published run(const InstallRequest& request, const TestHost& host) {
  return commands::run_install(commands::prepare_install(request, host.host()), Eula::flag,
                               host.host());
}

}  // namespace

TEST_CASE("a release is fetched, verified, unpacked and published with its receipt") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  const auto published = run(request_for(mirror, "12.1.1"), host);

  CHECK(published.prefix == host.root() / "cuda-12.1.1");
  CHECK_FALSE(published.replaced);
  CHECK(published.default_set);
  CHECK(host.folder().read("root/cuda/bin/cuda_nvcc").find("cuda_nvcc 12.1.1.7") !=
        std::string::npos);
  CHECK(std::filesystem::read_symlink(host.root() / "cuda") == "cuda-12.1.1");
  CHECK(std::filesystem::read_symlink(host.root() / "cuda-12.1") == "cuda-12.1.1");
  CHECK(std::filesystem::read_symlink(host.root() / "cuda-12.1.1/lib/libcuda_cudart.so") ==
        "libcuda_cudart.so.1");
  CHECK(std::filesystem::exists(host.root() / "cuda-12.1.1/share/licenses/cuda_nvcc/LICENSE"));
  const auto receipt =
      store::read_receipt(host.folder().read("root/cuda-12.1.1/.cudaenv/receipt.json"), "x");
  CHECK(receipt.components.size() == 5);
  CHECK(receipt.profile == "minimal");
  CHECK(receipt.eula == "flag");
  CHECK(mirror.archive_requests() == 5);
  // Nothing is left over.
  CHECK(host.folder().entries("root/.state/downloads").empty());
  CHECK(sys::list(host.root() / ".state/trash").empty());
}

TEST_CASE("what is installed is not fetched again") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  run(request_for(mirror, "12.1.1"), host);
  const auto again = commands::prepare_install(request_for(mirror, "12.1.1"), host.host());
  CHECK(again.already);
  CHECK(mirror.archive_requests() == 5);
}

TEST_CASE("a second release fetches only what it does not share, and shares the files on disk") {
  MiniMirror mirror;
  mirror.add_minimal("12.9.1");
  for (const char* component : {"cuda_cudart", "cuda_cccl", "cuda_nvrtc", "cuda_profiler_api"}) {
    mirror.add("cuda", "12.9.2", {component, "12.9.1.7"});
  }
  mirror.add("cuda", "12.9.2", {"cuda_nvcc", "12.9.2.8"});
  mirror.publish();
  const TestHost host;
  run(request_for(mirror, "12.9.1"), host);
  const auto plan = commands::prepare_install(request_for(mirror, "12.9.2"), host.host()).plan;
  CHECK(plan.fetch_count() == 1);
  run(request_for(mirror, "12.9.2"), host);
  CHECK(mirror.archive_requests() == 6);

  const auto one = sys::stat_link(host.root() / "cuda-12.9.1/lib/libcuda_cudart.so.1");
  const auto two = sys::stat_link(host.root() / "cuda-12.9.2/lib/libcuda_cudart.so.1");
  CHECK((one->inode == two->inode || one->blocks == two->blocks));
  CHECK(std::filesystem::read_symlink(host.root() / "cuda-12.9") == "cuda-12.9.2");
  // The default stays where it was.
  CHECK(std::filesystem::read_symlink(host.root() / "cuda") == "cuda-12.9.1");

  const auto listed = commands::list({true}, host.host());
  REQUIRE(listed.prefixes.size() == 2);
  CHECK(listed.prefixes[0].prefix.receipt.cuda.text() == "12.9.2");
  CHECK(*listed.prefixes[0].frees_bytes < *listed.prefixes[0].disk_bytes);
}

TEST_CASE(
    "a wrong archive is refetched once, then refused with both digests, and nothing is installed") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  mirror.server().rule(mirror.archive_path("cuda_nvcc"), "flip:100");
  const TestHost host;
  const auto what = error_text([&] { run(request_for(mirror, "12.1.1"), host); });
  CAPTURE(what);
  CHECK(what.find("cannot install CUDA 12.1.1") == 0);
  CHECK(what.find("expected") != std::string::npos);
  CHECK(what.find("received") != std::string::npos);
  CHECK(commands::list({}, host.host()).prefixes.empty());
  CHECK_FALSE(std::filesystem::exists(host.root() / "cuda-12.1.1"));
  CHECK(mirror.server().requests(mirror.archive_path("cuda_nvcc")).size() == 2);
}

TEST_CASE("a mirror cannot change a release that the index knows") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  auto request = request_for(mirror, "12.1.1");
  request.trust_mirror = false;
  // The index has other digests and paths than this mirror's own manifest.
  CHECK_THROWS_AS(run(request, host), Error);
  CHECK_FALSE(std::filesystem::exists(host.root() / "cuda-12.1.1"));
}

TEST_CASE("a manifest that is known must be NVIDIA's") {
  MiniMirror mirror;
  mirror.add_minimal("13.2.0");  // not in the index, but its manifest's digest is known
  mirror.publish();
  const TestHost host;
  auto request = request_for(mirror, "13.2.0");
  request.trust_mirror = false;
  CHECK(error_text([&] {
          run(request, host);
        }).find("the manifest of cuda 13.2.0 is not NVIDIA's") == 0);
}

TEST_CASE(
    "two components with one path and different bytes are refused before anything is published") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.add("cuda", "12.1.1", {"cuda_nvcc", "1.0", {{"include/same.h", "one", 0644}}});
  mirror.add("cuda", "12.1.1", {"cuda_cudart", "1.0", {{"include/same.h", "two", 0644}}});
  mirror.publish();
  const TestHost host;
  CHECK(error_text([&] {
          run(request_for(mirror, "12.1.1"), host);
        }).find("cuda_cudart and cuda_nvcc both bring it") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(host.root() / "cuda-12.1.1"));
  CHECK_FALSE(std::filesystem::exists(host.root() / "cuda"));
}

TEST_CASE(
    "--no-static and the runtime profile leave files out, and a wider wish brings them back") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  auto request = request_for(mirror, "12.1.1");
  request.no_static = true;
  run(request, host);
  const auto prefix = host.root() / "cuda-12.1.1";
  CHECK_FALSE(std::filesystem::exists(prefix / "lib/libcuda_nvrtc_static.a"));
  CHECK(std::filesystem::exists(prefix / "include/cuda_nvrtc.h"));

  const auto wider = run(request_for(mirror, "12.1.1"), host);
  CHECK(wider.replaced);
  CHECK(std::filesystem::exists(prefix / "lib/libcuda_nvrtc_static.a"));
  CHECK(commands::prepare_install(request, host.host()).already);
}

TEST_CASE("--without leaves a component out and --component takes one alone") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  auto request = request_for(mirror, "12.1.1", "");
  request.components = {"nvrtc,cudart"};
  run(request, host);
  const auto receipt =
      store::read_receipt(host.folder().read("root/cuda-12.1.1/.cudaenv/receipt.json"), "x");
  CHECK(receipt.components.size() == 2);
  CHECK(receipt.profile == "custom");

  auto without = request_for(mirror, "12.1.1");
  without.without = {"cuda_nvrtc"};
  without.name = "small";
  run(without, host);
  CHECK_FALSE(std::filesystem::exists(host.root() / "cuda-small/bin/cuda_nvrtc"));
  CHECK(std::filesystem::exists(host.root() / "cuda-small/bin/cuda_nvcc"));
}

TEST_CASE("--force makes the prefix exactly what was asked for") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  run(request_for(mirror, "12.1.1"), host);
  auto request = request_for(mirror, "12.1.1", "");
  request.components = {"cuda_cudart"};
  request.force = true;
  CHECK(run(request, host).replaced);
  CHECK_FALSE(std::filesystem::exists(host.root() / "cuda-12.1.1/bin/cuda_nvcc"));
}

TEST_CASE("--force does not take a damaged file from the store again") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  run(request_for(mirror, "12.1.1"), host);
  const auto library = host.root() / "cuda-12.1.1/lib/libcuda_cudart.so.1";
  const std::string good = host.folder().read("root/cuda-12.1.1/lib/libcuda_cudart.so.1");
  // Through the hard link: the store's copy is damaged as well.
  {
    std::string bad = good;
    bad[10] ^= 1;
    const auto fd = sys::create_file(library, 0755);
    sys::write_all(fd.get(), bad, library);
  }
  auto request = request_for(mirror, "12.1.1");
  request.force = true;
  run(request, host);
  CHECK(host.folder().read("root/cuda-12.1.1/lib/libcuda_cudart.so.1") == good);
}

TEST_CASE("a folder of the user's in the prefix's place is not touched") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  host.folder().make_file("root/cuda-12.1.1/precious", "mine");
  CHECK(error_text([&] {
          run(request_for(mirror, "12.1.1"), host);
        }).find("was not made by cudaenv") != std::string::npos);
  CHECK(host.folder().read("root/cuda-12.1.1/precious") == "mine");
  CHECK(mirror.archive_requests() == 0);
}

TEST_CASE("an existing default link or directory is left alone") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  host.folder().make_file("root/cuda/version.txt", "real directory");
  CHECK_FALSE(run(request_for(mirror, "12.1.1"), host).default_set);
  CHECK(host.folder().read("root/cuda/version.txt") == "real directory");
}

TEST_CASE("several mirrors are tried in order") {
  MiniMirror dead;
  dead.publish();
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  auto request = request_for(mirror, "12.1.1");
  request.mirrors = {dead.url(), mirror.url()};
  run(request, host);
  CHECK(mirror.archive_requests() == 5);
}

TEST_CASE("a file mirror serves a machine without any network") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host({{"CUDAENV_MIRROR", "file://" + mirror.folder().string()}});
  auto request = request_for(mirror, "12.1.1");
  request.mirrors.clear();
  request.spec = "12";  // the folder itself tells which releases it has
  run(request, host);
  CHECK(std::filesystem::exists(host.root() / "cuda-12.1.1/bin/cuda_nvcc"));
  CHECK(mirror.server().requests().empty());

  const TestHost lost({{"CUDAENV_MIRROR", std::string("file:///no/such/mirror")}});
  CHECK(error_text([&] { run(request, lost); }).find("there is no folder `/no/such/mirror`") !=
        std::string::npos);
}

TEST_CASE("--offline installs from the store and says what is missing otherwise") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  auto request = request_for(mirror, "12.1.1");
  request.offline = true;
  CHECK_THROWS_AS(run(request, host), Error);
  CHECK(mirror.server().requests().empty());
}

TEST_CASE("an essential part that a source lacks is an error that names it") {
  MiniMirror mirror;
  mirror.add("cuda", "12.1.1", {"cuda_cudart", "1.0"});
  mirror.publish();
  const TestHost host;
  const auto prepared = commands::prepare_install(request_for(mirror, "12.1.1"), host.host());
  CHECK_FALSE(prepared.plan.unusable.empty());
  CHECK(error_text([&] {
          commands::run_install(prepared, Eula::flag, host.host());
        }).find("cuda_nvcc") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(host.root()));
}

TEST_CASE("a named prefix does not become another toolkit unless forced to") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.add_minimal("12.2.0");
  mirror.publish();
  const TestHost host;
  auto request = request_for(mirror, "12.1.1");
  request.name = "mine";
  run(request, host);
  request.spec = "12.2.0";
  CHECK(error_text([&] { run(request, host); }).find("is there and is another toolkit") !=
        std::string::npos);
  CHECK(host.folder().read("root/cuda-mine/bin/cuda_nvcc").find("12.1.1.7") != std::string::npos);
  request.force = true;
  run(request, host);
  CHECK(host.folder().read("root/cuda-mine/bin/cuda_nvcc").find("12.2.0.7") != std::string::npos);
}

TEST_CASE("a toolkit for another machine has a name of its own and is no default") {
  MiniMirror mirror;
  mirror.add_minimal("12.1.1");
  mirror.publish();
  const TestHost host;
  auto request = request_for(mirror, "12.1.1");
  request.platform = "linux-ppc64le";
  const auto prepared = commands::prepare_install(request, host.host());
  CHECK(prepared.prefix.filename() == "cuda-12.1.1-linux-ppc64le");
  // This mirror has nothing for it, and says so.
  CHECK_FALSE(prepared.plan.unusable.empty());
}

TEST_CASE("update brings manifests that the index lacks, and their releases can be installed") {
  MiniMirror mirror;
  mirror.add_minimal("12.99.0");
  mirror.publish();
  const TestHost host;
  InstallRequest source;
  source.mirrors = {mirror.url()};
  const auto updated = commands::update(source, host.host());
  CHECK(updated.fetched == std::vector<std::string>{"cuda 12.99.0"});
  CHECK(commands::update(source, host.host()).fetched.empty());

  commands::RemoteRequest remote;
  remote.source = source;
  const auto listed = commands::list_remote(remote, host.host());
  REQUIRE_FALSE(listed.releases.empty());
  const auto found =
      std::find_if(listed.releases.begin(), listed.releases.end(),
                   [](const auto& release) { return release.version.text() == "12.99.0"; });
  REQUIRE(found != listed.releases.end());
  CHECK_FALSE(found->known);

  // Verified by the digests of the manifest that was fetched then.
  auto request = request_for(mirror, "12");
  request.trust_mirror = false;
  run(request, host);
  CHECK(std::filesystem::exists(host.root() / "cuda-12.99.0/bin/cuda_nvcc"));
}

TEST_CASE("a mirror that is not there is a note for list --remote and an error for update") {
  const TestHost host;
  InstallRequest source;
  source.mirrors = {"http://127.0.0.1:1"};
  commands::RemoteRequest remote;
  remote.source = source;
  const auto listed = commands::list_remote(remote, host.host());
  CHECK(listed.notes.size() == 1);
  CHECK(listed.releases.back().version.text() == "13.4.2");
  CHECK_THROWS_AS(commands::update(source, host.host()), Error);
}
