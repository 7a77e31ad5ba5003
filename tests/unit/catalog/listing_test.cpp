#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "catalog/manifest.hpp"

namespace cudaenv::catalog {
namespace {

std::string listed(std::string_view body, std::string_view product = "cuda") {
  std::vector<std::string> texts;
  for (const auto& version : parse_listing(body, product, "the list"))
    texts.push_back(version.text());
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string refusal(std::string_view body) {
  try {
    parse_listing(body, "cuda", "the list");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::corrupt);
    return error.what();
  }
  FAIL("taken: ", body);
  return {};
}

TEST_CASE("a directory listing gives the versions of its manifests, sorted and once") {
  // As nginx and Apache write it, with cut texts; and with links from the host's root.
  CHECK(listed(R"(<html><body><h1>Index of /compute/cuda/redist/</h1><pre><a href="../">../</a>
      <a href="cuda_nvcc/">cuda_nvcc/</a>
      <a href="redistrib_13.10.0.json">redistrib_13.10.0.js..&gt;</a> 01-Jan-2027 5
      <a href="redistrib_13.9.2.json">redistrib_13.9.2.json</a>
      <a href='redistrib_12.1.1.json'>redistrib_12.1.1.json</a></pre></body></html>)") ==
        "12.1.1 13.9.2 13.10.0");
  CHECK(listed(R"(<a href="/compute/cudnn/redist/redistrib_8.9.7.29.json?x=1">x</a>)") ==
        "8.9.7.29");
  CHECK(listed(R"(<a href=redistrib_24.03.json>x</a>)") == "24.03");
}

TEST_CASE("names that only resemble a manifest's are passed over") {
  CHECK(listed(R"(<a href="redistrib_12.1.1.json">x</a><a href="redistrib_12.2.0.json.asc">x</a>
      <a href="redistrib_12.3.0_tar.json">x</a><a href="old-redistrib_12.4.0.json">x</a>
      <a href="redistrib_latest.json">x</a><a href="redistrib_.json">x</a>
      <a href="redistrib_12.5.0.js">x</a>)") == "12.1.1");
}

TEST_CASE("a list of plain names will do") {
  CHECK(listed("redistrib_12.1.1.json\nredistrib_11.8.0.json\n") == "11.8.0 12.1.1");
}

TEST_CASE("a page without any manifest is some other page") {
  CHECK(refusal("<html>Sign in</html>").find("HTML without a link to one") != std::string::npos);
  CHECK(refusal("").find("lists no manifests") != std::string::npos);
  CHECK(refusal("redistrib_").find("lists no manifests") != std::string::npos);
}

TEST_CASE("an index.json names the versions of each product") {
  const std::string body = R"({"releases": {"cuda": ["13.0.2", "12.1.1", "12.1.1"],
      "cudnn": ["8.9.7"]}, "made": "today"})";
  CHECK(listed(body) == "12.1.1 13.0.2");
  CHECK(listed(body, "cudnn") == "8.9.7");
  CHECK(listed(body, "nccl").empty());
  CHECK(listed(R"({"releases": {}})").empty());
}

TEST_CASE("a damaged index.json is refused by its place") {
  CHECK(refusal("{").find("not JSON") != std::string::npos);
  CHECK(refusal("{}").find("releases is missing") != std::string::npos);
  CHECK(refusal(R"({"releases": []})").find("releases is missing or not") != std::string::npos);
  CHECK(refusal(R"({"releases": {"cuda": "12"}})").find("releases.cuda is not a list") !=
        std::string::npos);
  for (const char* bad : {"12", "null", "\"latest\"", "\"../x\"", "{}"}) {
    CHECK(refusal(fmt::format(R"({{"releases": {{"cuda": [{}]}}}})", bad))
              .find("releases.cuda holds something that is not a version") != std::string::npos);
  }
}

}  // namespace
}  // namespace cudaenv::catalog
