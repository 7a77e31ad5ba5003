#include "model/platform.hpp"

#include <string>

#include <doctest/doctest.h>

namespace cudaenv {
namespace {

std::string name(std::string_view machine, bool jetson, unsigned cuda_major) {
  const auto platform = platform_of(machine, jetson, cuda_major);
  return platform ? platform->name() : "none";
}

TEST_CASE("every platform that manifests name can be parsed, and only those") {
  for (const auto& each : Platform::all()) CHECK(Platform::parse(each)->name() == each);
  for (const char* other : {"", "linux", "linux-x86_64 ", "Linux-x86_64", "linux-riscv64", "name",
                            "cuda_variant", "linux-aarch64/"}) {
    CAPTURE(other);
    CHECK_FALSE(Platform::parse(other));
  }
}

TEST_CASE("an Arm server takes sbsa whatever the toolkit") {
  CHECK(name("aarch64", false, 11) == "linux-sbsa");
  CHECK(name("aarch64", false, 12) == "linux-sbsa");
  CHECK(name("aarch64", false, 13) == "linux-sbsa");
}

TEST_CASE("a Jetson takes its own build up to CUDA 12 and the servers' from 13 on") {
  CHECK(name("aarch64", true, 11) == "linux-aarch64");
  CHECK(name("aarch64", true, 12) == "linux-aarch64");
  CHECK(name("aarch64", true, 13) == "linux-sbsa");
  CHECK(name("aarch64", true, 14) == "linux-sbsa");
}

TEST_CASE("other machines have one build or none") {
  CHECK(name("x86_64", false, 12) == "linux-x86_64");
  CHECK(name("ppc64le", false, 12) == "linux-ppc64le");
  for (const char* machine : {"riscv64", "armv7l", "i686", "s390x", "ppc64", ""}) {
    CAPTURE(machine);
    CHECK(name(machine, false, 12) == "none");
  }
}

TEST_CASE("a Linux platform has a folder under targets") {
  CHECK(Platform::parse("linux-x86_64")->target_folder() == "x86_64-linux");
  CHECK(Platform::parse("linux-sbsa")->target_folder() == "sbsa-linux");
  CHECK(Platform::parse("linux-aarch64")->target_folder() == "aarch64-linux");
  CHECK(Platform::parse("linux-ppc64le")->target_folder() == "ppc64le-linux");
  CHECK(Platform::parse("windows-x86_64")->target_folder().empty());
  CHECK(Platform::parse("windows-arm64")->is_windows());
  CHECK_FALSE(Platform::parse("source")->is_windows());
}

}  // namespace
}  // namespace cudaenv
