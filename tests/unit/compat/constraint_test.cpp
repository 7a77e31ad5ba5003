#include "compat/constraint.hpp"

#include <string>

#include <doctest/doctest.h>

namespace cudaenv::compat {
namespace {

bool accepts(const std::string& constraint, const std::string& version) {
  return Constraint::parse(constraint)->accepts(*Version::parse(version));
}

TEST_CASE("a version alone means all that begin so") {
  CHECK(accepts("11.8", "11.8"));
  CHECK(accepts("11.8", "11.8.0"));
  CHECK_FALSE(accepts("11.8", "11.7.1"));
  CHECK_FALSE(accepts("12", "13.0.0"));
}

TEST_CASE("bounds hold together and alternatives apart") {
  CHECK(accepts(">=12.1,<13", "12.9.1"));
  CHECK_FALSE(accepts(">=12.1,<13", "12.0.1"));
  CHECK_FALSE(accepts(">=12.1,<13", "13.0.0"));
  CHECK(accepts(">=3.8,<=3.11", "3.11.4"));
  CHECK(accepts("11.8|12.4", "12.4.1"));
  CHECK_FALSE(accepts("11.8|12.4", "12.3.2"));
}

TEST_CASE("a constraint is said in words") {
  const auto words = [](const char* text) { return Constraint::parse(text)->words(); };
  CHECK(words("11.8") == "11.8");
  CHECK(words(">=3.8,<=3.11") == "3.8 to 3.11");
  CHECK(words(">=12.1,<13") == "12.1 or later, before 13");
  CHECK(words("12.9|11.8") == "12.9 or 11.8");
}

TEST_CASE("what is no constraint is refused") {
  for (const std::string text :
       {"", ">", "12,", "|", "12||13", "12 ", "12.x", "~12", "<=", "=12"}) {
    CAPTURE(text);
    CHECK_FALSE(Constraint::parse(text));
  }
}

}  // namespace
}  // namespace cudaenv::compat
