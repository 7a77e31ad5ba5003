// A manifest comes from a stranger: whatever is in it, the answer is an Error that says where.

#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "manifest_text.hpp"

namespace cudaenv::test {
namespace {

constexpr std::string_view at = "cuda_nvcc.linux-x86_64.";

bool says(const std::string& message, std::string_view part) {
  const bool found = message.find(part) != std::string::npos;
  if (!found) MESSAGE(message);
  return found;
}

std::string digest(std::string_view sha256) {
  return fmt::format(R"({{"relative_path": "a", "sha256": {}, "size": "1"}})", sha256);
}

TEST_CASE("a page instead of a manifest is told as such") {
  for (const char* page : {"<!DOCTYPE html><html><body>Sign in</body></html>", "  \r\n<html>",
                           "\xEF\xBB\xBF<?xml?>"}) {
    CHECK(says(refusal(page), "is an HTML page, not a manifest"));
  }
}

TEST_CASE("text that is not JSON is refused with its line and column") {
  CHECK(says(refusal("{\n  \"a\": x\n}"), "line 2, column 8"));
  CHECK(says(refusal(""), "is empty"));
  CHECK(says(refusal(" \n"), "is empty"));
  const std::string whole = with_archive(entry("a"));
  for (const std::string& broken :
       {std::string("{"), std::string("}"), std::string("\0", 1), std::string("not found"),
        whole.substr(0, whole.size() / 2), whole + "x", whole + whole,
        std::string("{\"a\":\"\xFF\"}"), std::string("\xFF\xFE{\0}\0", 6), std::string("{'a': 1}"),
        std::string("{\"a\": 1,}")}) {
    CHECK(says(refusal(broken), "not JSON at line 1, column"));
  }
  CHECK(says(refusal("{\"a\": 1e999}"), "out of range"));
}

TEST_CASE("JSON of another kind is refused") {
  CHECK(says(refusal("[]"), "it holds a list, not an object"));
  CHECK(says(refusal("null"), "it holds null"));
  CHECK(says(refusal("\"x\""), "it holds a string"));
  CHECK(says(refusal("12"), "it holds a number"));
  CHECK(says(refusal("{}"), "no component"));
  CHECK(says(refusal(R"({"release_date": "2024-01-01"})"), "no component"));
}

TEST_CASE("a value of the wrong type is refused by its place") {
  const std::string rest = with_archive(entry("a")).substr(1);
  CHECK(says(refusal(R"({"release_date": 5, )" + rest), "release_date is a number, not a string"));
  CHECK(says(refusal(R"({"release_label": [], )" + rest), "release_label is a list"));
  const auto one = [](std::string_view object) { return fmt::format(R"({{"c": {}}})", object); };
  CHECK(says(refusal(one(R"({"version": 12, "linux-x86_64": {}})")), "c.version is a number"));
  CHECK(says(refusal(one(R"({"version": null})")), "c.version is null"));
  CHECK(says(refusal(one(R"({"version": "1", "license": 1})")), "c.license is a number"));
  CHECK(says(refusal(one(R"({"version": "1", "linux-x86_64": "x"})")),
             "c.linux-x86_64 is a string, not an object"));
  CHECK(says(refusal(with_archive("[]")), "cuda_nvcc.linux-x86_64 is a list"));
  CHECK(says(refusal(with_archive("{}")), "cuda_nvcc.linux-x86_64 holds no archive"));
  CHECK(says(refusal(with_archive(R"({"cuda12": {}})")),
             "cuda_nvcc.linux-x86_64.cuda12.relative_path is missing"));
  CHECK(says(refusal(with_archive(R"({"cuda12": "a"})")), "holds no archive"));
}

TEST_CASE("a component needs a version that is one") {
  CHECK(says(refusal(R"({"c": {"linux-x86_64": {}}})"), "c.version is missing"));
  for (const char* bad : {"", "v1", "1..2", "../../x", "1.2\\n", "99999999999", "1 2"}) {
    CHECK(says(refusal(fmt::format(R"({{"c": {{"version": "{}"}}}})", bad)), "c.version is `"));
  }
}

TEST_CASE("a component's name can be a file's name") {
  const std::string body = component("1", R"("linux-x86_64": )" + entry("a"));
  for (const std::string& bad :
       {std::string("../x"), std::string("a/b"), std::string(""), std::string(".hidden"),
        std::string("a\\u0000b"), std::string("a\\nb"), std::string("a b"), std::string("-rf"),
        std::string(81, 'a')}) {
    CHECK(says(refusal(fmt::format(R"({{"{}": {}}})", bad, body)), "is not a component's name"));
  }
}

TEST_CASE("a missing, short or odd SHA-256 is refused") {
  const std::string place = std::string(at) + "sha256 ";
  CHECK(
      says(refusal(with_archive(R"({"relative_path": "a", "size": "1"})")), place + "is missing"));
  CHECK(says(refusal(with_archive(digest("null"))), place + "is null"));
  CHECK(says(refusal(with_archive(digest("5"))), place + "is a number"));
  for (const std::string& bad :
       {std::string(), std::string(63, 'a'), std::string(65, 'a'), std::string(63, 'a') + "g",
        std::string(32, 'a'), " " + std::string(63, 'a'), "sha256:" + std::string(57, 'a')}) {
    CHECK(says(refusal(with_archive(digest('"' + bad + '"'))), "not 64 hexadecimal digits"));
  }
}

TEST_CASE("a path that leaves its folder, or is more than a path, is refused") {
  for (const std::string& bad : {std::string("/etc/passwd"),
                                 std::string("../a"),
                                 std::string("a/../../b"),
                                 std::string("a/.."),
                                 std::string("a/.zip"),
                                 std::string(".a/b.tar.xz"),
                                 std::string("a/./b"),
                                 std::string("a//b"),
                                 std::string("a/"),
                                 std::string(""),
                                 std::string("."),
                                 std::string(".."),
                                 std::string("a\\\\..\\\\b"),
                                 std::string("C:/a"),
                                 std::string("https://elsewhere/a"),
                                 std::string("a?b"),
                                 std::string("a#b"),
                                 std::string("%2e%2e/a"),
                                 std::string("a b"),
                                 std::string("a\\nb"),
                                 std::string("a\\u0000b"),
                                 std::string("a\\u001b[2J"),
                                 std::string("~/a"),
                                 std::string("$(id)"),
                                 std::string("\xC3\xA9"),
                                 std::string("a\\u202eb"),
                                 std::string(301, 'a')}) {
    const std::string message = refusal(with_archive(entry(bad)));
    CHECK(says(message, std::string(at) + "relative_path is `"));
    CHECK(message.find('\x1B') == std::string::npos);
  }
}

TEST_CASE("a size that no archive has is refused") {
  for (const char* bad :
       {R"("0")", R"("")", R"("-1")", R"("1.5")", R"("1e9")", R"(" 1")", R"("1 ")", R"("0x10")",
        R"("18446744073709551616")", R"("274877906945")", R"("12,000")", "0", "274877906945"}) {
    CHECK(says(refusal(with_archive(entry("a", bad))), "not a plausible count of bytes"));
  }
  for (const char* bad : {"-1", "1.5", "true", "null", "[]", "{}", "18446744073709551616"}) {
    CHECK(says(refusal(with_archive(entry("a", bad))), "not a count of bytes"));
  }
  CHECK(says(refusal(with_archive(R"({"relative_path": "a", "sha256": ")" + std::string(64, 'a') +
                                  R"("})")),
             std::string(at) + "size is missing"));
  CHECK(parse(with_archive(entry("a", R"("274877906944")"))).components.size() == 1);
}

TEST_CASE("a key that stands twice is refused, because readers differ in which one counts") {
  const std::string body = component("1", R"("linux-x86_64": )" + entry("a"));
  CHECK(says(refusal(fmt::format(R"({{"c": {0}, "c": {0}}})", body)), "c stands there twice"));
  CHECK(says(refusal(with_archive(R"({"size": "1", "size": "2"})")), "size stands there twice"));
  // The same key in two objects is no such thing.
  CHECK(parse(fmt::format(R"({{"c": {0}, "d": {0}}})", body)).components.size() == 2);
}

TEST_CASE("deep nesting is refused before it costs anything") {
  const std::string lists(200'000, '[');
  CHECK(says(refusal("{\"a\": " + lists), "nested more than"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  CHECK(says(refusal(objects), "nested more than"));
}

TEST_CASE("a manifest of absurd size is refused unread") {
  CHECK(says(refusal(std::string((16u << 20) + 1, ' ')), "too large for a manifest"));
  const std::string key(1'000'000, 'k');
  const std::string message = refusal(fmt::format(R"({{"{}": {{"version": "1"}}}})", key));
  CHECK(message.size() < 1000);
}

TEST_CASE("control characters in a manifest never reach the message") {
  const std::string message = refusal(R"({"c": {"version": "\u001b[2J\u0007\nx"}})");
  CHECK(says(message, "\\x1B[2J\\x07\\nx"));
}

}  // namespace
}  // namespace cudaenv::test
