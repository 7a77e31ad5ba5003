// The numbers are those of the irregularities that were seen in NVIDIA's manifests; each has to be
// put up with.

#include "catalog/manifest.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "manifest_text.hpp"

namespace cudaenv::test {
namespace {

Version version(std::string_view text) { return Version::parse(text).value(); }

TEST_CASE("a component's archive is read with path, digest and size") {
  const Release release = parse(R"({"release_date": "2023-04-19", "release_label": "12.1.1",
      "release_product": "cuda", "cuda_nvcc": {"name": "CUDA NVCC", "license": "CUDA Toolkit",
      "license_path": "cuda_nvcc/LICENSE.txt", "version": "12.1.105", "linux-x86_64": {
      "relative_path": "cuda_nvcc/linux-x86_64/cuda_nvcc-linux-x86_64-12.1.105-archive.tar.xz",
      "sha256": "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef",
      "md5": "00", "size": "41"}}})");
  CHECK(release.product == "cuda");
  CHECK(release.version.text() == "12.1.1");
  CHECK(release.date == "2023-04-19");
  REQUIRE(release.components.size() == 1);
  CHECK(release.components[0].name == "cuda_nvcc");
  CHECK(release.components[0].version.text() == "12.1.105");
  CHECK(release.components[0].license == "CUDA Toolkit");
  const auto& plain = archives(release, "cuda_nvcc", "linux-x86_64").plain;
  REQUIRE(plain);
  CHECK(plain->path == "cuda_nvcc/linux-x86_64/cuda_nvcc-linux-x86_64-12.1.105-archive.tar.xz");
  CHECK(plain->sha256.hex() == "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
  CHECK(plain->size == 41);
}

TEST_CASE("1: label, product, date and licence path may be missing, the product may be odd") {
  const Release bare = parse(with_archive(entry("a/b.tar.xz")));
  CHECK(bare.version.text() == "12.1.1");
  CHECK(bare.product == "cuda");
  CHECK(bare.date.empty());
  const Release odd = parse(R"({"release_product": "cublasmp-v0-1", "release_label": "12.1.1", )" +
                            with_archive(entry("a/b.tar.xz")).substr(1));
  CHECK(odd.product == "cuda");
}

TEST_CASE("a label that says another version is refused, one that says none is not") {
  const std::string rest = with_archive(entry("a/b.tar.xz")).substr(1);
  CHECK(refusal(R"({"release_label": "12.1.0", )" + rest).find("release_label is 12.1.0") !=
        std::string::npos);
  CHECK(parse(R"({"release_label": "spring", )" + rest).components.size() == 1);
  CHECK(parse(R"({"release_label": "24.03", )" + rest, "24.3").components.size() == 1);
}

TEST_CASE("a date in another shape is left out") {
  const std::string rest = with_archive(entry("a/b.tar.xz")).substr(1);
  CHECK(parse(R"({"release_date": "19 April 2023", )" + rest).date.empty());
  CHECK(parse(R"({"release_date": "", )" + rest).date.empty());
}

TEST_CASE("2: top-level objects are components, in any order, and come out sorted") {
  const std::string one = component("1", R"("linux-sbsa": )" + entry("z/z.tar.xz"));
  const Release release = parse(fmt::format(
      R"({{"libcublas": {0}, "release_date": "2024-01-01", "schema": 7, "tags": ["x"],
          "note": null, "cuda_nvcc": {0}, "meta": {{"signed": "yes"}}, "cccl": {0}}})",
      one));
  REQUIRE(release.components.size() == 3);
  CHECK(release.components[0].name == "cccl");
  CHECK(release.components[1].name == "cuda_nvcc");
  CHECK(release.components[2].name == "libcublas");
  CHECK(release.find("meta") == nullptr);
}

TEST_CASE("3: unknown keys and their values are passed over, at every level") {
  const std::string archive = entry("a/b.tar.xz");
  const Release release = parse(fmt::format(
      R"({{"cuda_nvcc": {{"version": "1", "future": {{"deep": [1, 2]}}, "flag": true,
          "linux-x86_64": {0}, "signature": "x"}}}})",
      archive.substr(0, archive.size() - 1) + R"(, "blake3": "x", "mirrors": ["y"]})"));
  CHECK(release.components[0].platforms.size() == 1);
  CHECK(archives(release, "cuda_nvcc", "linux-x86_64").variants.empty());
}

TEST_CASE("4: a size is a string of digits; a number means the same") {
  CHECK(archives(parse(with_archive(entry("a", R"("2348138632")"))), "cuda_nvcc", "linux-x86_64")
            .plain->size == 2348138632);
  CHECK(archives(parse(with_archive(entry("a", "2348138632"))), "cuda_nvcc", "linux-x86_64")
            .plain->size == 2348138632);
}

TEST_CASE("5: every known platform is read, one of the future is passed over") {
  std::string rest;
  for (const auto& platform : Platform::all()) {
    rest += fmt::format(R"("{}": {}, )", platform, entry(platform + "/x.tar.xz"));
  }
  rest += R"("linux-riscv64": {"relative_path": 5})";
  const Release release = parse(fmt::format(R"({{"c": {}}})", component("1", rest)));
  CHECK(release.components[0].platforms.size() == Platform::all().size());
  // The two Arm builds stay apart.
  CHECK(archives(release, "c", "linux-sbsa").plain->path == "linux-sbsa/x.tar.xz");
  CHECK(archives(release, "c", "linux-aarch64").plain->path == "linux-aarch64/x.tar.xz");
}

TEST_CASE("5: a component that only a platform of the future has is known, and offered to none") {
  const Release release =
      parse(fmt::format(R"({{"c": {}}})", component("1", R"("linux-riscv64": {})")));
  REQUIRE(release.find("c"));
  CHECK(release.find("c")->platforms.empty());
}

TEST_CASE("6: a component that a platform lacks differs from one that does not exist") {
  const Release release = parse(with_archive(entry("a")));
  REQUIRE(release.find("cuda_nvcc"));
  CHECK_FALSE(release.find("cuda_nvcc")->platforms.contains(*Platform::parse("linux-sbsa")));
  CHECK(release.find("cuda_gdb") == nullptr);
}

TEST_CASE("7: archives may be nested by CUDA version, major or minor") {
  const Release release =
      parse(fmt::format(R"({{"cuda_compat": {}}})",
                        component("590.1", fmt::format(R"("cuda_variant": ["13.1"], "linux-sbsa":
          {{"cuda13.1": {}, "cuda12": {}}})",
                                                       entry("minor"), entry("major")))));
  const auto& nested = archives(release, "cuda_compat", "linux-sbsa");
  CHECK_FALSE(nested.plain);
  CHECK(nested.variants.size() == 2);
  CHECK(nested.for_cuda(version("13.1.1"))->path == "minor");
  CHECK(nested.for_cuda(version("12.9.1"))->path == "major");
  CHECK(nested.for_cuda(version("13.2.1")) == nullptr);
}

TEST_CASE("8: the list of variants promises nothing to a platform") {
  const Release release = parse(fmt::format(
      R"({{"cudnn": {}}})", component("8.5.0.96", fmt::format(R"("cuda_variant": ["10", "11"],
          "linux-x86_64": {{"cuda10": {0}, "cuda11": {0}}}, "linux-sbsa": {{"cuda11": {0}}})",
                                                              entry("a")))));
  CHECK(archives(release, "cudnn", "linux-x86_64").variants.size() == 2);
  CHECK(archives(release, "cudnn", "linux-sbsa").for_cuda(version("10.2")) == nullptr);
  CHECK(archives(release, "cudnn", "linux-sbsa").for_cuda(version("11.8")));
}

TEST_CASE("9: one object may hold an archive of its own and variants beside it") {
  const std::string own = entry("own");
  const Release release = parse(fmt::format(
      R"({{"cudnn": {}}})",
      component("9.27.0.42", fmt::format(R"("windows-arm64": {}, "cuda13": {}}})",
                                         own.substr(0, own.size() - 1), entry("nested")))));
  const auto& hybrid = archives(release, "cudnn", "windows-arm64");
  REQUIRE(hybrid.plain);
  CHECK(hybrid.plain->path == "own");
  CHECK(hybrid.variants.at("cuda13").path == "nested");
}

TEST_CASE("10: samples may have a single entry for every platform") {
  const Release release = parse(
      fmt::format(R"({{"cudnn_samples": {}}})", component("9.0", R"("source": )" + entry("s"))));
  CHECK(archives(release, "cudnn_samples", "source").plain->path == "s");
}

TEST_CASE("11 and 12: paths are taken as they are, whatever their form and suffix") {
  for (const char* path :
       {"imex/linux-x86_64/nvidia-imex-linux-x86_64-580.82.07-archive.tar.xz",
        "driver_assistant/source/driver_assistant-0.22.82.07-archive.tar.xz",
        "cudnn/windows-x86_64/cudnn-windows-x86_64-9.1.1.17_cuda12-archive.zip",
        "tensorrt/10.8.0/tars/TensorRT-10.8.0.43.Linux.x86_64-gnu.cuda-12.8.tar.gz",
        "tensorrt/11.3.0/tars/TensorRT-11.3.0.1.tar.zst"}) {
    CHECK(archives(parse(with_archive(entry(path))), "cuda_nvcc", "linux-x86_64").plain->path ==
          path);
  }
}

TEST_CASE("13: a component's version is its own, and its text is kept") {
  for (const char* own : {"13.3.4.3.1", "2025.06.10", "0.53.44", "2026.3.2.476"}) {
    const Release release =
        parse(fmt::format(R"({{"c": {}}})", component(own, R"("linux-x86_64": )" + entry("a"))),
              "13.3.1");
    CHECK(release.components[0].version.text() == own);
    CHECK(release.version.text() == "13.3.1");
  }
}

TEST_CASE("16: a manifest's file name gives two, three or four numbers") {
  CHECK(catalog::manifest_version("redistrib_12.1.1.json")->text() == "12.1.1");
  CHECK(catalog::manifest_version("redistrib_8.9.7.29.json")->text() == "8.9.7.29");
  CHECK(catalog::manifest_version("redistrib_24.03.json")->text() == "24.03");
  for (const char* other :
       {"", "redistrib_.json", "redistrib_12.1.1.json.asc", "redistrib_12.1.1_tar.json",
        "redistrib_latest.json", "Redistrib_12.1.1.json", "redistrib_12.1.1", "12.1.1.json",
        "xredistrib_12.1.1.json", "redistrib_../x.json", "redistrib_.jso", "redistrib.json"}) {
    CAPTURE(other);
    CHECK_FALSE(catalog::manifest_version(other));
  }
}

TEST_CASE("17: names and licences are free text, and may be missing") {
  const Release release = parse(fmt::format(
      R"({{"a": {{"version": "1", "linux-x86_64": {0}}},
          "b": {{"name": "Compatability", "license": " Odd\tlicence\n", "version": "1",
                 "linux-x86_64": {0}}}}})",
      entry("a")));
  CHECK(release.find("a")->license.empty());
  CHECK(release.find("b")->license == "Odd\\tlicence");
}

TEST_CASE("a byte order mark and blanks around the manifest do no harm") {
  CHECK(parse("\xEF\xBB\xBF" + with_archive(entry("a")) + "\r\n\n").components.size() == 1);
  CHECK(parse("\n  " + with_archive(entry("a"))).components.size() == 1);
}

}  // namespace
}  // namespace cudaenv::test
