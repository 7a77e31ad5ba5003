#include "catalog/index.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/error.hpp"

namespace cudaenv::catalog {
namespace {

Version version(std::string_view text) { return Version::parse(text).value(); }
Platform platform(std::string_view name) { return Platform::parse(name).value(); }

const std::string sha(64, 'a');

// A release with one of everything: usual and unusual paths, variants, a hybrid, no platform.
Release sample() {
  const auto archive = [](std::string path, std::uint64_t size) {
    return Archive{std::move(path), Digest::from_hex(sha).value(), size};
  };
  Component empty{"cuda_future", version("1"), "", {}};
  Component usual{"cuda_nvcc", version("12.1.105"), "CUDA Toolkit", {}};
  usual.platforms[platform("linux-x86_64")].plain =
      archive("cuda_nvcc/linux-x86_64/cuda_nvcc-linux-x86_64-12.1.105-archive.tar.xz", 41);
  usual.platforms[platform("windows-x86_64")].plain =
      archive("cuda_nvcc/windows-x86_64/cuda_nvcc-windows-x86_64-12.1.105-archive.zip", 42);
  Component hybrid{"cudnn", version("9.27.0.42"), "cudnn", {}};
  auto& both = hybrid.platforms[platform("windows-arm64")];
  both.plain = archive("cudnn/windows-arm64/cudnn-windows-arm64-9.27.0.42_cuda13.4-archive.zip", 1);
  both.variants.emplace(
      "cuda13", archive("cudnn/windows-arm64/cudnn-windows-arm64-9.27.0.42_cuda13-archive.zip", 2));
  Component odd{"nvlsm", version("2025.06.10"), "an odd licence", {}};
  odd.platforms[platform("linux-all")].plain = archive("nvlsm/source/nvlsm.tar.gz", 3);
  return {"cuda", version("12.1.1"), "2023-04-19", {empty, usual, hybrid, odd}};
}

std::string refusal(std::string_view text) {
  try {
    read_index_text(text, "x.tsv");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::corrupt);
    CHECK(error.message() == "x.tsv is damaged");
    return error.what();
  }
  FAIL("taken: ", text);
  return {};
}

bool says(const std::string& message, std::string_view part) {
  const bool found = message.find(part) != std::string::npos;
  if (!found) MESSAGE(message);
  return found;
}

TEST_CASE("a release survives being written and read back") {
  const Release release = sample();
  const std::string text = write_index_text(release);
  const Release again = read_index_text(text, "x.tsv");
  CHECK(again == release);
  CHECK(again.components[3].version.text() == "2025.06.10");
  CHECK(write_index_text(again) == text);
}

TEST_CASE("only a path that is not the usual one is written down") {
  const std::string text = write_index_text(sample());
  CHECK(text.find("cuda_nvcc-linux") == std::string::npos);
  CHECK(text.find("_cuda13-archive.zip") == std::string::npos);
  CHECK(text.find("\tnvlsm/source/nvlsm.tar.gz\n") != std::string::npos);
  CHECK(text.find("_cuda13.4-archive.zip\n") != std::string::npos);
}

TEST_CASE("a damaged index is refused with its line") {
  const std::string head = "release\t1\tcuda\t12.1.1\t2023-04-19\n";
  const std::string nvcc = head + "component\tcuda_nvcc\t12.1.105\tCUDA Toolkit\n";
  const std::string x86 = "linux-x86_64\t-\t41\t" + sha;

  CHECK(says(refusal(""), "line 1: it is empty"));
  CHECK(says(refusal("<html>"), "line 1: it does not begin with `release`"));
  CHECK(says(refusal("release\t1\tcuda\t12.1.1\n"), "five fields"));
  CHECK(says(refusal("release\t2\tcuda\t12.1.1\t\n"), "schema `2`"));
  CHECK(says(refusal("release\t1\t../x\t12.1.1\t\n"), "product"));
  CHECK(says(refusal("release\t1\tcuda\tlatest\t\n"), "`latest` is not a version"));
  CHECK(says(refusal("release\t1\tcuda\t12.1.1\tMay\n"), "date"));
  CHECK(says(refusal(head + x86), "line 2: an archive before the first component"));
  CHECK(says(refusal(head + "component\tcuda_nvcc\t1\n"), "line 2: a component has four fields"));
  CHECK(says(refusal(head + "component\t.x\t1\t\n"), "plain name"));
  CHECK(says(refusal(head + "component\tx\ty\t\n"), "`y` is not a version"));
  CHECK(says(refusal(head + "component\tx\t1\t\x1B[2J\n"), "licence"));
  CHECK(says(refusal(nvcc + "component\tcuda_gdb\t1\t\n"), "line 3: components are not in order"));
  CHECK(says(refusal(nvcc + "component\tcuda_nvcc\t1\t\n"), "line 3: components are not in order"));
  CHECK(says(refusal(nvcc + "\n"), "line 3: an archive has four or five fields"));
  CHECK(says(refusal(nvcc + "linux-x86_64\t-\t41\n"), "four or five fields"));
  CHECK(says(refusal(nvcc + x86 + "\ta\tb\n"), "four or five fields"));
  CHECK(says(refusal(nvcc + "linux-riscv64\t-\t41\t" + sha), "`linux-riscv64` is not a platform"));
  CHECK(says(refusal(nvcc + "linux-sbsa\t\t41\t" + sha), "variant"));
  CHECK(says(refusal(nvcc + "linux-sbsa\t../x\t41\t" + sha), "variant"));
  CHECK(says(refusal(nvcc + "linux-sbsa\t-\t0\t" + sha), "size"));
  CHECK(says(refusal(nvcc + "linux-sbsa\t-\t4x\t" + sha), "size"));
  CHECK(says(refusal(nvcc + "linux-sbsa\t-\t41\t" + sha.substr(1)), "SHA-256"));
  CHECK(says(refusal(nvcc + x86 + "\t../x"), "path"));
  CHECK(says(refusal(nvcc + x86 + "\t"), "path"));
  CHECK(says(refusal(nvcc + x86 + "\n" + x86), "line 4: the same platform and variant twice"));
  const std::string variant = "linux-sbsa\tcuda12\t41\t" + sha;
  CHECK(says(refusal(nvcc + variant + "\n" + variant), "twice"));
}

TEST_CASE("no cut of an index is taken for a whole number of lines that it is not") {
  const Release release = sample();
  const std::string text = write_index_text(release);
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      const Release part = read_index_text(std::string_view(text).substr(0, length), "x.tsv");
      CHECK(part.components.size() <= release.components.size());
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::corrupt);
    }
  }
}

TEST_CASE("the program knows the products and their versions, in order") {
  const auto known = products();
  CHECK(std::is_sorted(known.begin(), known.end()));
  for (const char* product : {"cuda", "cudnn", "cutensor", "tensorrt"}) {
    CHECK(std::count(known.begin(), known.end(), product) == 1);
  }
  const auto cuda = versions("cuda");
  CHECK(cuda.size() >= 45);
  CHECK(cuda.front().text() == "11.4.2");
  CHECK(std::is_sorted(cuda.begin(), cuda.end()));
  CHECK(std::adjacent_find(cuda.begin(), cuda.end()) == cuda.end());
  CHECK(versions("cudnn").size() >= 39);
  for (const char* other : {"", "cud", "cuda/", "nosuch", "../x"}) CHECK(versions(other).empty());
}

TEST_CASE("a known release is loaded, another is not") {
  const auto release = load("cuda", version("12.1.1"));
  REQUIRE(release);
  CHECK(release->product == "cuda");
  CHECK(release->version.text() == "12.1.1");
  CHECK(release->date == "2023-04-19");
  const auto* nvcc = release->find("cuda_nvcc");
  REQUIRE(nvcc);
  CHECK(nvcc->version.text() == "12.1.105");
  CHECK_FALSE(load("cuda", version("12.1")));
  CHECK_FALSE(load("cuda", version("12.7.0")));
  CHECK_FALSE(load("nosuch", version("12.1.1")));
}

TEST_CASE("a release is found whatever zeros its number is written with") {
  REQUIRE(load("nvpl", version("24.03")));
  CHECK(load("nvpl", version("24.3"))->version.text() == "24.03");
}

TEST_CASE("every known release loads, says what its name says, and is in the usual form") {
  for (const auto& product : products()) {
    for (const auto& each : versions(product)) {
      CAPTURE(product);
      CAPTURE(each.text());
      const Release release = load(product, each).value();
      CHECK(release.product == product);
      CHECK(release.version.text() == each.text());
      CHECK_FALSE(release.components.empty());
      CHECK(read_index_text(write_index_text(release), "again") == release);
    }
  }
}

// Irregularity 14: caches may rely on it.
TEST_CASE("a path names the same archive in every release of a product") {
  for (const auto& product : products()) {
    std::map<std::string, Archive> seen;
    for (const auto& each : versions(product)) {
      const Release release = load(product, each).value();
      for (const auto& component : release.components) {
        for (const auto& [on, archives] : component.platforms) {
          std::vector<Archive> all;
          if (archives.plain) all.push_back(*archives.plain);
          for (const auto& [variant, archive] : archives.variants) all.push_back(archive);
          for (const auto& archive : all) {
            const auto [row, fresh] = seen.emplace(archive.path, archive);
            if (row->second != archive) FAIL_CHECK(product, " ", archive.path);
          }
        }
      }
    }
  }
}

TEST_CASE("the digest of NVIDIA's manifest is known where it was published") {
  CHECK(manifest_digest("cuda", version("12.1.1"))->hex() ==
        "bafea3cb83a4cf5c764eeedcaac0040d0d3c5db3f9a74550da0e7b6ac24d378c");
  CHECK(manifest_digest("cuda", version("11.8.0"))->hex() ==
        "941a950a4ab3b95311c50df7b3c8bca973e0cdda76fc2f4b456d2d5e4dac0281");
  CHECK(manifest_digest("cudnn", version("9.9.0")));
  CHECK_FALSE(manifest_digest("cuda", version("11.8")));
  CHECK_FALSE(manifest_digest("cudnn", version("12.1.1")));
  CHECK_FALSE(manifest_digest("nosuch", version("12.1.1")));
}

}  // namespace
}  // namespace cudaenv::catalog
