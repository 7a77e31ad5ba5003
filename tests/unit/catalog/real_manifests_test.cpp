// NVIDIA's own manifests, where a copy of them is at hand: the CMake variable or environment
// variable CUDAENV_TEST_DATA names the folder that holds redist/<product>/redistrib_*.json.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "catalog/index.hpp"
#include "catalog/manifest.hpp"
#include "manifest_text.hpp"

namespace cudaenv::catalog {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The folder, or an empty path (and a line that says so).
fs::path redist() {
  const char* named = std::getenv("CUDAENV_TEST_DATA");
  const fs::path folder = fs::path(named && *named ? named : CUDAENV_TEST_DATA) / "redist";
  if (fs::is_directory(folder)) return folder;
  MESSAGE("skipped: no manifests in ", folder.string(), " (set CUDAENV_TEST_DATA)");
  return {};
}

std::vector<fs::path> manifests(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (manifest_version(entry.path().filename().string())) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// A manifest of moderate size with nested, plain and hybrid entries.
std::string seed_text() {
  const std::string nested = "{\"cuda12\": " + test::entry("a/b_cuda12.tar.xz") + "}";
  return R"({"release_date": "2026-09-29", "release_label": "12.1.1", "release_product": "cudnn",
    "cudnn": )" +
         test::component("9.27.0.42", R"("cuda_variant": ["12"], "linux-x86_64": )" + nested +
                                          R"(, "linux-sbsa": )" + nested) +
         R"(, "cudnn_samples": )" +
         test::component("9.27.0.42", R"("source": )" + test::entry("a/b.tar.xz")) + "}";
}

// A change that damage, truncation or malice would make.
std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t limit) {
    return limit == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  static const std::vector<std::string> pieces{"{",
                                               "}",
                                               "[",
                                               "]",
                                               "\"",
                                               ",",
                                               ":",
                                               "null",
                                               "-1",
                                               "1e999",
                                               "../",
                                               "\\u0000",
                                               "\xFF",
                                               "\"\"",
                                               "{\"relative_path\": 1}",
                                               "\"size\":",
                                               "\"sha256\": \"\",",
                                               "\xEF\xBB\xBF",
                                               "\n",
                                               "0"};
  for (std::size_t count = 1 + below(3); count > 0; --count) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(below(40), text.size() - at);
    switch (below(6)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 3:
        text.replace(at, length, pieces[below(pieces.size())]);
        break;
      case 4:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      default:
        if (!text.empty()) text[at] = static_cast<char>(below(256));
    }
  }
  return text;
}

TEST_CASE("every manifest of NVIDIA's is read, and the index holds the same") {
  const fs::path folder = redist();
  if (folder.empty()) return;
  const auto files = manifests(folder);
  CHECK(files.size() >= 201);
  for (const auto& file : files) {
    CAPTURE(file.string());
    const std::string product = file.parent_path().filename().string();
    const Version version = manifest_version(file.filename().string()).value();
    const Release release = parse_manifest(content(file), product, version, file.string());
    CHECK_FALSE(release.components.empty());
    const auto known = load(product, version);
    REQUIRE(known);
    CHECK(*known == release);
    CHECK(known->version.text() == release.version.text());
    CHECK(read_index_text(write_index_text(release), "again") == release);
  }
}

TEST_CASE("the index holds no release beside those") {
  const fs::path folder = redist();
  if (folder.empty()) return;
  std::size_t count = 0;
  for (const auto& product : products()) count += versions(product).size();
  CHECK(count == manifests(folder).size());
}

TEST_CASE("no damage to a manifest ends in anything but an Error") {
  std::string seed = seed_text();
  const fs::path folder = redist();
  if (!folder.empty()) seed = content(folder / "cudnn" / "redistrib_9.27.0.json");
  const Version version = Version::parse(folder.empty() ? "12.1.1" : "9.27.0").value();
  REQUIRE_FALSE(parse_manifest(seed, "cudnn", version, "seed").components.empty());

  std::mt19937 random(20261130);  // the same every time
  int refused = 0;
  constexpr int rounds = 3000;
  for (int i = 0; i < rounds; ++i) {
    const std::string text = mutated(seed, random);
    try {
      const Release release = parse_manifest(text, "cudnn", version, "mutant");
      // What is taken must be fit for the index.
      CHECK(read_index_text(write_index_text(release), "mutant") == release);
    } catch (const Error& error) {
      ++refused;
      CHECK(error.kind() == ErrorKind::corrupt);
    }
  }
  CHECK(refused > rounds / 2);
  CHECK(refused < rounds);
}

TEST_CASE("no damage to an index or a listing ends in anything but an Error") {
  const std::string seed = write_index_text(load("cudnn", versions("cudnn").back()).value());
  const std::string list = R"({"releases": {"cuda": ["13.0.2", "12.1.1"], "cudnn": ["8.9.7"]}})";
  std::mt19937 random(4711);
  for (int i = 0; i < 3000; ++i) {
    try {
      read_index_text(mutated(seed, random), "mutant");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::corrupt);
    }
    try {
      parse_listing(mutated(list, random), "cuda", "mutant");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::corrupt);
    }
  }
}

}  // namespace
}  // namespace cudaenv::catalog
