#include "activate/formats.hpp"

#include <doctest/doctest.h>

#include "support/error_text.hpp"

using namespace cudaenv;
using namespace cudaenv::activate;

namespace {

Change setting(const std::string& name, const std::string& value) {
  return {{{name, value}}, {}, {}};
}

}  // namespace

TEST_CASE("JSON has what is set, unset, added and removed") {
  const Change change{{{"A", "x\"\\\n\x7F\u00E4"}, {"B", std::nullopt}},
                      {{"PATH", "/n/bin"}, {"L", "/n/1"}, {"L", "/n/2"}},
                      {{"PATH", "/o/bin"}}};
  CHECK(json(change) ==
        "{\"set\": {\"A\": \"x\\\"\\\\\\u000a\\u007f\u00E4\"}, \"unset\": [\"B\"], "
        "\"added\": {\"L\": [\"/n/1\", \"/n/2\"], \"PATH\": [\"/n/bin\"]}, "
        "\"removed\": {\"PATH\": [\"/o/bin\"]}}\n");
  CHECK(json({}) == "{\"set\": {}, \"unset\": [], \"added\": {}, \"removed\": {}}\n");
  CHECK(test::error_text([] { json(setting("A", "\xFF")); }) ==
        "JSON cannot hold the value of A: `\\xFF` is not UTF-8");
}

TEST_CASE("GitHub's files take values of several lines, and PATH by itself") {
  Change change{{{"A", "1\nend_of_value\n2"}, {"B", std::nullopt}, {"PATH", "/1:/2:/bin"}},
                {{"PATH", "/1"}, {"L", "/x"}, {"PATH", "/2"}},
                {}};
  CHECK(github(change).env ==
        "A<<end_of_value_\n1\nend_of_value\n2\nend_of_value_\nB<<end_of_value\n\nend_of_value\n");
  CHECK(github(change).path == "/2\n/1\n");
  change.added = {{"PATH", "/a\nb"}};
  CHECK(test::error_text([&] { github(change); }).find("has a newline") != std::string::npos);
  CHECK(test::error_text([] { github(setting("A", "\xFF")); }).find("not UTF-8") !=
        std::string::npos);
}

TEST_CASE("a dotenv file has values in quotes where they need them, and no memory of ours") {
  const Change change{{{"A", "/a:/b"},
                       {"B", "a b$c#\""},
                       {"C", "it's \"$x\"\n"},
                       {"D", ""},
                       {"E", std::nullopt},
                       {"CUDAENV_SAVED", "1"}},
                      {},
                      {}};
  CHECK(dotenv(change) == "A=/a:/b\nB='a b$c#\"'\nC=\"it's \\\"\\$x\\\"\\n\"\nD=\n");
}

TEST_CASE("a Dockerfile extends the lists of its image") {
  const auto change = activate::change({}, {"/r/a b", {"/d$"}}, {.cudacxx = false});
  CHECK(docker(change) ==
        "ENV CUDAToolkit_ROOT=\"/r/a b\" \\\n"
        "    CUDA_HOME=\"/r/a b\" \\\n"
        "    CUDA_PATH=\"/r/a b\" \\\n"
        "    CUDA_ROOT=\"/r/a b\" \\\n"
        "    LD_LIBRARY_PATH=\"/r/a b/lib:/d\\$${LD_LIBRARY_PATH:+:${LD_LIBRARY_PATH}}\" \\\n"
        "    PATH=\"/r/a b/bin${PATH:+:${PATH}}\" \\\n"
        "    PKG_CONFIG_PATH=\"/r/a b/pkg-config${PKG_CONFIG_PATH:+:${PKG_CONFIG_PATH}}\"\n");
  CHECK(docker({}).empty());
  CHECK(test::error_text([] { docker(setting("A", "x\ny")); }) ==
        "a Dockerfile cannot hold the value of A: `x\\ny` has a newline");
}
