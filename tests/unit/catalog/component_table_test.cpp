#include "catalog/component_table.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/error.hpp"

namespace cudaenv::catalog {
namespace {

Version version(std::string_view text) { return Version::parse(text).value(); }

std::string table(std::string_view rows, std::string_view add_ons = "") {
  return fmt::format(R"({{"schema": 1, "components": [{}], "add_ons": [{}]}})", rows, add_ons);
}

std::string refusal(std::string_view text) {
  try {
    read_component_table(text, "components.json");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::corrupt);
    const std::string message = error.what();
    CHECK(message.starts_with("components.json is"));
    return message;
  }
  FAIL("taken: ", text);
  return {};
}

bool says(const std::string& message, std::string_view part) {
  const bool found = message.find(part) != std::string::npos;
  if (!found) MESSAGE(message);
  return found;
}

TEST_CASE("a row says what it says, and the profiles build on one another") {
  const auto read = read_component_table(
      table(R"({"name": "a", "summary": "s", "profiles": {"minimal": "essential"}},
               {"name": "b", "summary": "s", "profiles": {"dev": "extra", "runtime": "essential"}},
               {"name": "c", "summary": "s"},
               {"name": "d", "summary": "s", "driver_side": true})"),
      "components.json");
  const auto roles = [&](std::size_t row) { return read.rules.at(row).roles; };
  using Roles = std::array<Role, 4>;
  CHECK(roles(0) == Roles{Role::essential, Role::none, Role::essential, Role::essential});
  CHECK(roles(1) == Roles{Role::none, Role::essential, Role::extra, Role::extra});
  CHECK(roles(2) == Roles{Role::none, Role::none, Role::none, Role::extra});
  CHECK(roles(3) == Roles{Role::none, Role::none, Role::none, Role::none});
}

TEST_CASE("a span is compared on the numbers it has") {
  const Span span{version("11.8"), version("12.4")};
  CHECK_FALSE(span.holds(version("11.7.1")));
  CHECK(span.holds(version("11.8.0")));
  CHECK(span.holds(version("12.4.1")));
  CHECK_FALSE(span.holds(version("12.5.0")));
  CHECK_FALSE(span.holds(version("12.10.0")));
  CHECK(Span{}.holds(version("99")));
}

TEST_CASE("a former name holds before the release that it gives way in") {
  const auto read = read_component_table(table(
                                             R"({"name": "new", "summary": "s",
                "former_names": [{"name": "old", "before": "13.3"}]})"),
                                         "components.json");
  CHECK(read.rules[0].name_in(version("13.2.1"), "new") == "old");
  CHECK(read.rules[0].name_in(version("13.3.0"), "new") == "new");
  CHECK(read.find("old") == 0u);
  CHECK(read.find("new") == 0u);
  CHECK_FALSE(read.find("ne"));
}

TEST_CASE("a component is expected only where it ever was") {
  const auto read = read_component_table(table(R"({"name": "a", "summary": "s", "since": "11.8",
                "platforms": {"linux-x86_64": {}, "linux-sbsa": {"since": "12.2"}}})"),
                                         "components.json");
  const auto expected = [&](std::string_view cuda, std::string_view on) {
    return read.rules[0].expected(version(cuda), Platform::parse(on).value());
  };
  CHECK(expected("11.8.0", "linux-x86_64"));
  CHECK_FALSE(expected("11.7.0", "linux-x86_64"));
  CHECK_FALSE(expected("12.1.0", "linux-sbsa"));
  CHECK(expected("12.2.0", "linux-sbsa"));
  CHECK_FALSE(expected("12.2.0", "linux-aarch64"));
}

TEST_CASE("a damaged table is refused by the row") {
  CHECK(says(refusal(""), "empty"));
  CHECK(says(refusal("<html>"), "HTML"));
  CHECK(says(refusal("[]"), "the table is a list"));
  CHECK(says(refusal("{}"), "schema is not 1"));
  CHECK(says(refusal(R"({"schema": 2})"), "schema is not 1"));
  CHECK(says(refusal(R"({"schema": 1, "components": {}})"), "components is not a list"));
  CHECK(says(refusal(R"({"schema": 1, "more": 1})"), "unknown key `more`"));
  CHECK(says(refusal(R"({"schema": 1, "\u001b[2J": 1})"), "unknown key `\\x1B[2J`"));
  CHECK(says(refusal(table("5")), "components[0] is a number"));
  CHECK(says(refusal(table("{}")), "components[0].name is not a plain name"));
  CHECK(says(refusal(table(R"({"name": "a"})")), "a.summary is missing"));
  const auto row = [](std::string_view rest) {
    return table(fmt::format(R"({{"name": "a", "summary": "s", {}}})", rest));
  };
  CHECK(says(refusal(row(R"("sinse": "12")")), "components[0] has an unknown key `sinse`"));
  CHECK(says(refusal(row(R"("since": "x")")), "a.since is not a version"));
  CHECK(says(refusal(row(R"("since": 12)")), "a.since is a number"));
  CHECK(says(refusal(row(R"("driver_side": "yes")")), "a.driver_side is not true or false"));
  CHECK(says(refusal(row(R"("profiles": {"full": "extra"})")), "unknown key `full`"));
  CHECK(says(refusal(row(R"("profiles": {"dev": "some"})")), "a.profiles.dev is neither"));
  CHECK(says(refusal(row(R"("profiles": {"dev": 1})")), "a.profiles.dev is neither"));
  CHECK(says(refusal(row(R"("driver_side": true, "profiles": {"dev": "extra"})")),
             "a.profiles is for parts of a toolkit only"));
  CHECK(says(refusal(row(R"("platforms": [])")), "a.platforms is not an object"));
  CHECK(says(refusal(row(R"("platforms": {"linux": {}})")), "a.platforms.linux is not a platform"));
  CHECK(says(refusal(row(R"("platforms": {"source": {"x": 1}})")), "unknown key `x`"));
  CHECK(says(refusal(row(R"("former_names": [{"name": "b"}])")), "lacks `before`"));
  CHECK(says(refusal(row(R"("aliases": [5])")), "a.aliases holds"));
  CHECK(says(refusal(row(R"("aliases": ["a"])")), "shares the name `a`"));
  CHECK(says(refusal(table(R"({"name": "b", "summary": "s"}, {"name": "a", "summary": "s"})")),
             "a is out of order"));
  CHECK(says(refusal(table("", R"({"name": "n"})")), "n.product is not a plain name"));
  CHECK(says(refusal(table("", R"({"name": "n", "product": "../x"})")), "n.product"));
}

}  // namespace
}  // namespace cudaenv::catalog
