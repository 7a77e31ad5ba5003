#include "manifest_text.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/error.hpp"

namespace cudaenv::test {
namespace {
constexpr std::string_view file = "redistrib_12.1.1.json";
}

std::string entry(std::string_view path, std::string_view size) {
  return fmt::format(R"({{"relative_path": "{}", "sha256": "{:a>64}", "md5": "x", "size": {}}})",
                     path, "", size);
}

std::string component(std::string_view version, std::string_view rest) {
  return fmt::format(R"({{"name": "A name", "license": "CUDA Toolkit", "version": "{}", {}}})",
                     version, rest);
}

std::string with_archive(std::string_view archive) {
  return fmt::format(R"({{"cuda_nvcc": {}}})",
                     component("12.1.105", fmt::format(R"("linux-x86_64": {})", archive)));
}

Release parse(std::string_view json, std::string_view version) {
  return catalog::parse_manifest(json, "cuda", Version::parse(version).value(), file);
}

std::string refusal(std::string_view json, std::string_view version) {
  try {
    parse(json, version);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::corrupt);
    const std::string message = error.what();
    CHECK(message.find(file) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
  FAIL("taken: ", json.substr(0, 200));
  return {};
}

const PlatformArchives& archives(const Release& release, std::string_view component,
                                 std::string_view platform) {
  const auto* found = release.find(component);
  REQUIRE(found);
  const auto row = found->platforms.find(Platform::parse(platform).value());
  REQUIRE(row != found->platforms.end());
  return row->second;
}

}  // namespace cudaenv::test
