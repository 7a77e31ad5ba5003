#include "install/wheel_folder.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "catalog/index.hpp"
#include "support/archive_builder.hpp"
#include "support/temp_dir.hpp"

using namespace cudaenv;
using test::TempDir;

namespace {

struct Folder {
  void wheel(const std::string& distribution, const std::string& version,
             const std::string& tag = "manylinux2014_x86_64") {
    test::build_wheel(dir / (distribution + "-" + version + "-py3-none-" + tag + ".whl"),
                      distribution, version,
                      {{"nvidia/x/lib/lib.so.1", "bytes of " + distribution + version, 0644}});
  }
  install::Context context() { return {environment, interrupt, progress, {}, dir / "cache"}; }

  TempDir dir;
  sys::Environment environment;
  NoInterrupt interrupt;
  Progress progress;
};

const Platform linux_x86 = *Platform::parse("linux-x86_64");
const Platform linux_arm = *Platform::parse("linux-sbsa");

}  // namespace

TEST_CASE("wheels in a folder are matched with a release by the versions of the index") {
  Folder folder;
  folder.wheel("nvidia_cuda_runtime_cu12", "12.1.105");
  folder.wheel("nvidia_cuda_nvrtc_cu12", "12.1.105");
  folder.wheel("nvidia_cuda_nvrtc_cu12", "12.9.86");
  folder.dir.make_file("notes.txt", "x");
  const auto context = folder.context();
  const auto source = install::make_wheel_folder_source(context, folder.dir.path());
  const auto releases = source->releases("cuda");
  CHECK(std::find(releases.begin(), releases.end(), *Version::parse("12.1.1")) != releases.end());
  CHECK(std::find(releases.begin(), releases.end(), *Version::parse("12.9.1")) == releases.end());

  const auto release = catalog::load("cuda", *Version::parse("12.1.1"));
  const auto offers =
      source->offers(*release, linux_x86, {"cuda_cudart", "cuda_nvrtc", "libcublas"});
  REQUIRE(offers.found.size() == 2);
  CHECK(offers.found[1].file_name ==
        "nvidia_cuda_nvrtc_cu12-12.1.105-py3-none-manylinux2014_x86_64.whl");
  CHECK(offers.found[1].size > 0);
  CHECK(offers.missing == std::vector<std::string>{"libcublas"});
  CHECK(source->offers(*release, linux_arm, {"cuda_cudart"}).found.empty());
}

TEST_CASE("the newest add-on of the right major is taken") {
  Folder folder;
  folder.wheel("nvidia_cudnn_cu12", "8.9.7.29");
  folder.wheel("nvidia_cudnn_cu12", "9.10.0.56");
  folder.wheel("nvidia_cudnn_cu12", "9.9.0.52");
  const auto context = folder.context();
  const auto source = install::make_wheel_folder_source(context, folder.dir.path());
  const auto& row = *catalog::add_on("cudnn");
  const auto cuda = *Version::parse("12.1.1");
  CHECK(source->add_on(row, std::nullopt, cuda, linux_x86)->version == "9.10.0.56");
  CHECK(source->add_on(row, *Version::parse("8"), cuda, linux_x86)->version == "8.9.7.29");
  CHECK_FALSE(source->add_on(row, std::nullopt, *Version::parse("11.8.0"), linux_x86));
}

TEST_CASE("a folder that is none, or holds no wheel, is refused") {
  Folder folder;
  const auto context = folder.context();
  CHECK_THROWS_AS(install::make_wheel_folder_source(context, folder.dir / "none"), Error);
  CHECK_THROWS_AS(install::make_wheel_folder_source(context, folder.dir.path()), Error);
}
