#include "model/release.hpp"

#include <string>

#include <doctest/doctest.h>

namespace cudaenv {
namespace {

Version version(std::string_view text) { return Version::parse(text).value(); }

Archive archive(std::string path) { return {std::move(path), Digest(Digest::Bytes{}), 1}; }

std::string chosen(const PlatformArchives& archives, std::string_view cuda) {
  const Archive* found = archives.for_cuda(version(cuda));
  return found ? found->path : "none";
}

TEST_CASE("an archive without a variant serves every CUDA version") {
  const PlatformArchives flat{archive("flat"), {}};
  CHECK(chosen(flat, "11.8.0") == "flat");
  CHECK(chosen(flat, "13.4.2") == "flat");
}

TEST_CASE("a variant serves its major, and no other") {
  const PlatformArchives nested{{}, {{"cuda11", archive("11")}, {"cuda12", archive("12")}}};
  CHECK(chosen(nested, "11.8.0") == "11");
  CHECK(chosen(nested, "12.9.1") == "12");
  CHECK(chosen(nested, "12") == "12");
  CHECK(chosen(nested, "13.0.0") == "none");
  CHECK(chosen(nested, "1.2") == "none");
}

TEST_CASE("a variant that names a minor goes before the one of its major") {
  const PlatformArchives nested{{}, {{"cuda13", archive("13")}, {"cuda13.1", archive("13.1")}}};
  CHECK(chosen(nested, "13.1.1") == "13.1");
  CHECK(chosen(nested, "13.10.0") == "13");
  CHECK(chosen({{}, {{"cuda13.1", archive("13.1")}}}, "13.2.1") == "none");
}

TEST_CASE("of a hybrid entry the variant goes before the plain archive") {
  const PlatformArchives hybrid{archive("plain"), {{"cuda13", archive("13")}}};
  CHECK(chosen(hybrid, "13.4.2") == "13");
  CHECK(chosen(hybrid, "12.9.1") == "plain");
}

TEST_CASE("a component is found by its exact name") {
  Release release{"cuda", version("12.1.1"), "", {}};
  for (const char* name : {"cuda_cccl", "cuda_nvcc", "libcublas"}) {
    release.components.push_back({name, version("1"), "", {}});
  }
  CHECK(release.find("cuda_nvcc")->name == "cuda_nvcc");
  CHECK(release.find("cuda_cccl")->name == "cuda_cccl");
  CHECK(release.find("libcublas")->name == "libcublas");
  for (const char* other : {"", "cuda", "cuda_nvcc2", "cuda_nvc", "zzz", "CUDA_NVCC"}) {
    CHECK(release.find(other) == nullptr);
  }
}

TEST_CASE("an archive's top folder is its file name without the suffix") {
  CHECK(
      archive_top_folder("libcublas/linux-x86_64/libcublas-linux-x86_64-13.8.0.4-archive.tar.xz") ==
      "libcublas-linux-x86_64-13.8.0.4-archive");
  CHECK(archive_top_folder("a/b-archive.zip") == "b-archive");
  CHECK(archive_top_folder("T-10.8.Linux.x86_64-gnu.cuda-12.8.tar.gz") ==
        "T-10.8.Linux.x86_64-gnu.cuda-12.8");
  CHECK(archive_top_folder("x.tar.zst") == "x");
  CHECK(archive_top_folder("plain") == "plain");
}

TEST_CASE("a product's folder lies under compute") {
  CHECK(redist_folder("cuda") == "compute/cuda/redist");
  CHECK(redist_folder("cudnn") == "compute/cudnn/redist");
}

}  // namespace
}  // namespace cudaenv
