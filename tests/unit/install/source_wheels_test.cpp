#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "catalog/index.hpp"
#include "install/source.hpp"
#include "support/mirror_server.hpp"
#include "support/temp_dir.hpp"

using namespace cudaenv;
using test::MirrorServer;
using test::TempDir;

namespace {

// A pip that answers each requirement with the report that was put for it, and an index behind it
// that knows how large the files are.
struct FakeIndex {
  FakeIndex() {
    // The last argument is the requirement; the report goes where --report says.
    const auto file = folder.make_file("pip", R"(#!/bin/sh
if [ "$1" = --version ]; then echo 'pip 23.0.1 from /x (python 3.11)'; exit; fi
if [ "$1" = config ]; then exit; fi
if [ "$1" = index ]; then echo 'Available versions: 13.5.0, 13.0.3.0, 12.1.1'; exit; fi
report= want=
for word; do [ "$want" = report ] && report=$word; want=; [ "$word" = --report ] && want=report; done
answer=$(dirname "$0")/$(printf %s "$word" | tr -c 'a-z0-9\n' _)
if [ -e "$answer" ]; then cp "$answer" "$report"; exit; fi
echo "ERROR: No matching distribution found for $word" >&2
exit 1
)");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    environment = sys::Environment({{"CUDAENV_PIP", file.string()},
                                    {"PATH", "/usr/bin:/bin"},
                                    {"HOME", folder.path().string()}});
  }

  void answer(std::string requirement,
              const std::vector<std::pair<std::string, std::string>>& wheels) {
    std::string report = R"({"version": "1", "pip_version": "23.0.1", "install": [)";
    for (const auto& [distribution, version] : wheels) {
      std::string file = distribution;
      std::replace(file.begin(), file.end(), '-', '_');
      file = fmt::format("/{}-{}-py3-none-manylinux2014_x86_64.whl", file, version);
      server.put(file, std::string(version.size() * 100, 'x'));
      report += fmt::format(
          R"({}{{"download_info": {{"url": "{}", "archive_info": {{"hashes": {{"sha256": "{}"}}}}}},
          "metadata": {{"name": "{}", "version": "{}"}}}})",
          report.ends_with('[') ? "" : ",", server.url(file), std::string(64, 'a'), distribution,
          version);
    }
    for (char& c : requirement) {
      if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) c = '_';
    }
    folder.make_file(requirement, report + "]}");
  }

  install::Context context() {
    return {
        environment, interrupt, progress,
        [this](const Interrupt& asked) { return net::make_curl_downloader({}, progress, asked); },
        folder / "cache"};
  }

  TempDir folder;
  MirrorServer server;
  sys::Environment environment;
  NoInterrupt interrupt;
  Progress progress;
};

const Platform linux_x86 = *Platform::parse("linux-x86_64");

}  // namespace

TEST_CASE("a component that the meta package pins loosely is taken in the release's own version") {
  FakeIndex index;
  index.answer("cuda-toolkit[cudart,nvjitlink]==13.0.3.*", {{"cuda-toolkit", "13.0.3.0"},
                                                            {"nvidia-cuda-runtime", "13.0.96"},
                                                            {"nvidia-nvjitlink", "13.5.37"}});
  index.answer("nvidia-nvjitlink==13.0.88.*", {{"nvidia-nvjitlink", "13.0.88"}});
  const auto context = index.context();
  const auto source = install::make_wheel_source(context, "");
  const auto release = catalog::load("cuda", *Version::parse("13.0.3"));
  REQUIRE(release);
  const auto offers =
      source->offers(*release, linux_x86, {"cuda_cudart", "libnvjitlink", "cuda_gdb"});
  REQUIRE(offers.found.size() == 2);
  CHECK(offers.found[0].version == "13.0.96");
  CHECK(offers.found[1].version == "13.0.88");
  CHECK(offers.missing == std::vector<std::string>{"cuda_gdb"});
  // The server tells how large they are.
  CHECK(offers.found[1].size == 700);
}

TEST_CASE("a loosely pinned component stays where the index has no other") {
  FakeIndex index;
  index.answer("cuda-toolkit[nvjitlink]==13.0.3.*", {{"nvidia-nvjitlink", "13.5.37"}});
  const auto context = index.context();
  const auto source = install::make_wheel_source(context, "");
  const auto release = catalog::load("cuda", *Version::parse("13.0.3"));
  const auto offers = source->offers(*release, linux_x86, {"libnvjitlink"});
  REQUIRE(offers.found.size() == 1);
  CHECK(offers.found[0].version == "13.5.37");
}

TEST_CASE("a release newer than the index is made of what the wheels tell") {
  FakeIndex index;
  index.answer("cuda-toolkit[all]==13.9.0.*",
               {{"nvidia-cuda-nvcc", "13.9.1"}, {"nvidia-cuda-runtime", "13.9.2"}});
  const auto context = index.context();
  const auto source = install::make_wheel_source(context, "");
  const auto release = source->release("cuda", *Version::parse("13.9.0"));
  REQUIRE(release);
  REQUIRE(release->components.size() == 2);
  CHECK(release->find("cuda_nvcc")->version.text() == "13.9.1");
  CHECK_FALSE(source->release("cuda", *Version::parse("13.9.9")));
  CHECK(source->releases("cuda").back().text() == "13.5.0");
}

TEST_CASE("an add-on's wheel is the one for the toolkit's major, by number") {
  FakeIndex index;
  index.answer("nvidia-cudnn-cu12==9.1.*", {{"nvidia-cudnn-cu12", "9.1.1.17"}});
  const auto context = index.context();
  const auto source = install::make_wheel_source(context, "");
  const auto* row = catalog::add_on("cudnn");
  const auto offer =
      source->add_on(*row, *Version::parse("9.1"), *Version::parse("12.1.1"), linux_x86);
  REQUIRE(offer);
  CHECK(offer->version == "9.1.1.17");
  CHECK_FALSE(source->add_on(*row, *Version::parse("9.1"), *Version::parse("11.8.0"), linux_x86));
}

TEST_CASE("offline there is nobody to ask, and a folder is the way out") {
  FakeIndex index;
  auto context = index.context();
  context.offline = true;
  CHECK_THROWS_WITH_AS(install::make_wheel_source(context, ""),
                       "--offline leaves no way to ask pip for wheels", Error);
}
