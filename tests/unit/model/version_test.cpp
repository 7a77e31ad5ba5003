#include "model/version.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cudaenv {
namespace {

Version version(std::string_view text) { return Version::parse(text).value(); }

TEST_CASE("a version is one to eight numbers with dots between") {
  for (const std::string text : {"12", "0", "12.1", "13.3.4.3.1", "2025.06.10", "1.2.3.4.5.6.7.8",
                                 "999999999", "000000001"}) {
    CAPTURE(text);
    REQUIRE(Version::parse(text));
    CHECK(Version::parse(text)->text() == text);
  }
}

TEST_CASE("anything else is not a version") {
  for (const std::string text : {"",           ".",          "..",
                                 "12.",        ".1",         "12..1",
                                 "v12",        "12.x",       "12.1 ",
                                 " 12.1",      "12.1\r",     "12.1\n",
                                 "12,1",       "+12",        "-12",
                                 "12.-1",      "12.+1",      "0x12",
                                 "1e3",        "12.1a",      "1.2.3.4.5.6.7.8.9",
                                 "1234567890", "0000000012", "99999999999999999999",
                                 "12.1;rm",    "١٢"}) {
    CAPTURE(text);
    CHECK_FALSE(Version::parse(text));
  }
  CHECK_FALSE(Version::parse(std::string_view("12.1\0", 5)));
  CHECK_FALSE(Version::parse(std::string(100'000, '1')));
  CHECK_FALSE(Version::parse(std::string(100'000, '.')));
}

TEST_CASE("versions are compared number by number") {
  CHECK(version("13.10") > version("13.9"));
  CHECK(version("9.0") < version("10.0"));
  CHECK(version("12.1") < version("12.1.0"));
  CHECK(version("12.1") != version("12.1.0"));
  CHECK(version("24.03") == version("24.3"));
  CHECK(version("999999999") > version("999999998"));

  std::vector<Version> sorted{version("13.10.0"), version("11.8.0"), version("13.9.2"),
                              version("12.1"),    version("2.0"),    version("12.1.1")};
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const auto& one : sorted) text += one.text() + " ";
  CHECK(text == "2.0 11.8.0 12.1 12.1.1 13.9.2 13.10.0 ");
}

TEST_CASE("the text is kept as it was written") {
  CHECK(version("2025.06.10").text() == "2025.06.10");
  CHECK(version("2025.06.10").parts() == std::vector<std::uint32_t>{2025, 6, 10});
  CHECK(version("2025.06.10").first(2).text() == "2025.06");
}

TEST_CASE("major and minor are the first two numbers") {
  CHECK(version("12.4.1").major() == 12);
  CHECK(version("12.4.1").minor() == 4);
  CHECK(version("12").minor() == 0);
}

TEST_CASE("the first numbers of a version make a version") {
  CHECK(version("12.1.105").first(1).text() == "12");
  CHECK(version("12.1.105").first(2).text() == "12.1");
  CHECK(version("12.1.105").first(2) == version("12.1"));
  CHECK(version("12.1.105").first(3).text() == "12.1.105");
  CHECK(version("12.1.105").first(9).text() == "12.1.105");
}

TEST_CASE("a version starts with its own beginning and with nothing else") {
  CHECK(version("12.1.1").starts_with(version("12")));
  CHECK(version("12.1.1").starts_with(version("12.1")));
  CHECK(version("12.1.1").starts_with(version("12.1.1")));
  CHECK_FALSE(version("12.1").starts_with(version("12.1.1")));
  CHECK_FALSE(version("12.10").starts_with(version("12.1")));
  CHECK_FALSE(version("1.2").starts_with(version("12")));
}

}  // namespace
}  // namespace cudaenv
