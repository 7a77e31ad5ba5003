#include "install/merge.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "sys/sha256.hpp"

using namespace cudaenv;
using install::Piece;
using install::Placement;
using store::ListedFile;

namespace {

ListedFile file(const std::string& path, const std::string& bytes, unsigned mode = 0644) {
  return {ListedFile::Kind::file, path, mode, bytes.size(), sys::sha256(bytes), "", ""};
}

ListedFile symlink_to(const std::string& path, const std::string& target) {
  return {ListedFile::Kind::symlink, path, 0777, 0, std::nullopt, target, ""};
}

Piece piece(const std::string& component, std::vector<ListedFile> files) {
  return {component, "1.0", "/store/" + component, std::move(files)};
}

std::vector<Placement> merged(const std::vector<Piece>& pieces) {
  return install::merge(pieces, *Version::parse("12.1.1"), *Platform::parse("linux-x86_64"));
}

const Placement* at(const std::vector<Placement>& placements, const std::string& path) {
  const auto found = std::find_if(placements.begin(), placements.end(),
                                  [&](const Placement& p) { return p.file.path == path; });
  return found == placements.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("a prefix has what tools look for besides the archives' files") {
  const auto all = merged({piece("cuda_cudart", {file("lib/libcudart.so.12", "x")})});
  REQUIRE(at(all, "lib64"));
  CHECK(at(all, "lib64")->file.target == "lib");
  CHECK(at(all, "targets/x86_64-linux/include")->file.target == "../../include");
  CHECK(at(all, "targets/x86_64-linux/lib")->file.target == "../../lib");
  CHECK_FALSE(at(all, "extras/CUPTI/include"));
  const auto* version = at(all, "version.json");
  REQUIRE(version);
  CHECK(version->content.find("\"cuda\": {\"name\": \"CUDA SDK\", \"version\": \"12.1.1\"}") !=
        std::string::npos);
  CHECK(version->content.find("\"cuda_cudart\"") != std::string::npos);
}

TEST_CASE("CUPTI is reachable where its samples and profilers look") {
  const auto all = merged(
      {piece("cuda_cupti", {file("include/cupti.h", "x"), file("lib/libcupti.so.12", "y")})});
  CHECK(at(all, "extras/CUPTI/include")->file.target == "../../include");
  CHECK(at(all, "extras/CUPTI/lib64")->file.target == "../../lib");
}

TEST_CASE("archives that bring extras/CUPTI and targets themselves keep theirs") {
  const auto all = merged(
      {piece("cuda_cupti", {file("include/cupti.h", "x"), file("extras/CUPTI/include/cupti.h", "x"),
                            file("targets/x86_64-linux/lib/a", "x")})});
  CHECK_FALSE(at(all, "extras/CUPTI/include"));
  CHECK_FALSE(at(all, "targets/x86_64-linux/lib"));
}

TEST_CASE("the licences of all components stand side by side") {
  const auto all = merged({piece("a", {file("LICENSE", "one")}),
                           piece("b", {file("LICENSE", "two"), file("License.txt", "three")})});
  CHECK(at(all, "share/licenses/a/LICENSE"));
  CHECK(at(all, "share/licenses/b/LICENSE"));
  CHECK(at(all, "share/licenses/b/License.txt"));
  CHECK_FALSE(at(all, "LICENSE"));
}

TEST_CASE(
    "a file that two components bring with equal bytes is taken once, as a program if one says "
    "so") {
  const auto all = merged(
      {piece("a", {file("bin/x", "same", 0644)}), piece("b", {file("bin/x", "same", 0755)})});
  REQUIRE(at(all, "bin/x"));
  CHECK(at(all, "bin/x")->file.mode == 0755);
  CHECK(std::count_if(all.begin(), all.end(),
                      [](const Placement& p) { return p.file.path == "bin/x"; }) == 1);
}

TEST_CASE("a file that two components bring with different bytes is an error that names both") {
  try {
    merged({piece("cuda_a", {file("include/x.h", "one")}),
            piece("cuda_b", {file("include/x.h", "two")})});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.message() == "`include/x.h` is in two components, with different contents");
    REQUIRE(error.causes().size() == 1);
    CHECK(error.causes()[0] == "cuda_a and cuda_b both bring it");
  }
}

TEST_CASE("a link and a file, or two links to different places, differ") {
  CHECK_THROWS_AS(
      merged({piece("a", {symlink_to("lib/x", "y")}), piece("b", {file("lib/x", "y")})}), Error);
  CHECK_THROWS_AS(
      merged({piece("a", {symlink_to("lib/x", "y")}), piece("b", {symlink_to("lib/x", "z")})}),
      Error);
  CHECK_NOTHROW(
      merged({piece("a", {symlink_to("lib/x", "y")}), piece("b", {symlink_to("lib/x", "y")})}));
}

TEST_CASE("a path that is a file in one component and a folder in the other is an error") {
  CHECK_THROWS_AS(
      merged({piece("a", {file("share/doc", "x")}), piece("b", {file("share/doc/y", "z")})}),
      Error);
}

TEST_CASE("files that people edit are copied, .pc files rewritten, the rest shared") {
  const auto all =
      merged({piece("cuda_nvcc", {file("bin/nvcc.profile", "x"), file("bin/nvcc", "y", 0755),
                                  file("pkg-config/cuda-12.1.pc", "z"),
                                  file("include/crt/host_config.h", "h")})});
  CHECK(at(all, "bin/nvcc.profile")->how == Placement::How::copy);
  CHECK(at(all, "include/crt/host_config.h")->how == Placement::How::copy);
  CHECK(at(all, "pkg-config/cuda-12.1.pc")->how == Placement::How::rewrite);
  CHECK(at(all, "bin/nvcc")->how == Placement::How::share);
  CHECK(at(all, "bin/nvcc")->from == "/store/cuda_nvcc/bin/nvcc");
  CHECK(at(all, "bin/nvcc")->file.component == "cuda_nvcc");
}

TEST_CASE("Nsight's tools, which lie a version deeper, are on PATH") {
  const auto all =
      merged({piece("nsight_compute", {file("nsight-compute/2023.1.1/ncu", "x", 0755),
                                       file("nsight-compute/2023.1.1/deep/er/ncu", "x", 0755)}),
              piece("nsight_systems", {file("nsight-systems/2023.1.2/bin/nsys", "x", 0755)})});
  CHECK(at(all, "bin/ncu")->file.target == "../nsight-compute/2023.1.1/ncu");
  CHECK(at(all, "bin/nsys")->file.target == "../nsight-systems/2023.1.2/bin/nsys");
}

TEST_CASE("a .pc file's cudaroot follows the file, wherever the prefix is moved") {
  const std::string text = "cudaroot=/usr/local/cuda-12.1\nlibdir=${cudaroot}/lib\n";
  CHECK(install::relocated_pc(text, "pkg-config/cuda-12.1.pc") ==
        "cudaroot=${pcfiledir}/..\nlibdir=${cudaroot}/lib\n");
  CHECK(install::relocated_pc("a\ncudaroot=/x", "lib/pkgconfig/y.pc") ==
        "a\ncudaroot=${pcfiledir}/../..");
  CHECK(install::relocated_pc("", "x.pc").empty());
}
