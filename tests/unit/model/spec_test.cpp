#include "model/spec.hpp"

#include <string>
#include <variant>

#include <doctest/doctest.h>

#include "base/error.hpp"

namespace cudaenv {
namespace {

Version version(std::string_view text) { return Version::parse(text).value(); }

// The version that a text means; empty where it means something else.
std::string meant(std::string_view typed) {
  const Spec spec = Spec::parse(typed);
  const auto* partial = std::get_if<Spec::Partial>(&spec.value());
  return partial ? partial->version.text() : "";
}

std::string name(std::string_view typed) {
  const Spec spec = Spec::parse(typed);
  const auto* named = std::get_if<Spec::Name>(&spec.value());
  return named ? named->name : "";
}

// What the refusal of a text says; fails where the text is taken.
std::string refusal(std::string_view typed) {
  try {
    Spec::parse(typed);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    CHECK_FALSE(error.advice().empty());
    return error.what();
  }
  FAIL("taken: ", typed);
  return {};
}

bool says(const std::string& message, std::string_view part) {
  return message.find(part) != std::string::npos;
}

TEST_CASE("a version may be written in the ways that people write it") {
  for (const char* typed :
       {"12.1",       " 12.1",      "12.1\r",    "12.1\r\n", "\t12.1 ",   "v12.1",      "V12.1",
        "cuda-12.1",  "CUDA-12.1",  "cuda_12.1", "cuda12.1", "CUDA 12.1", "cuda@12.1",  "cuda=12.1",
        "cuda==12.1", "CUDA==12.1", "12.1.x",    "12.1.X",   "12.1.*",    "cuda-12.1.x"}) {
    CAPTURE(typed);
    CHECK(meant(typed) == "12.1");
  }
  CHECK(meant("12") == "12");
  CHECK(meant("v12") == "12");
  CHECK(meant("12.x") == "12");
  CHECK(meant("12.1.1") == "12.1.1");
  CHECK(meant("0") == "0");
}

TEST_CASE("the text of a spec is what was typed, without the blanks around it") {
  CHECK(Spec::parse(" cuda-12.1\r\n").text() == "cuda-12.1");
}

TEST_CASE("words stand for themselves in any case") {
  CHECK(std::holds_alternative<Spec::Latest>(Spec::parse("latest").value()));
  CHECK(std::holds_alternative<Spec::Latest>(Spec::parse("LATEST").value()));
  CHECK(std::holds_alternative<Spec::Auto>(Spec::parse("Auto").value()));
  CHECK(std::holds_alternative<Spec::System>(Spec::parse("system").value()));
}

TEST_CASE("a leading zero is refused, because 12.08 is not 12.8") {
  CHECK(says(refusal("12.08"), "did you mean `12.8`?"));
  CHECK(says(refusal("v012.1"), "did you mean `12.1`?"));
  CHECK(says(refusal(">=12.08"), "did you mean `12.8`?"));
  CHECK(says(refusal("12.00"), "did you mean `12.0`?"));
}

TEST_CASE("what is not a version, a word or a name is refused with a reason") {
  CHECK(says(refusal(""), "empty"));
  CHECK(says(refusal(" \r\n"), "empty"));
  CHECK(says(refusal("12\t.1"), "control character"));
  CHECK(says(refusal(std::string_view("12.1\0x", 6)), "control character"));
  CHECK(says(refusal("12.1\x1B[31m"), "\\x1B"));
  CHECK(says(refusal("12.1\x7F"), "control character"));
  CHECK(says(refusal("/usr/local/cuda"), "path"));
  CHECK(says(refusal("../12.1"), "path"));
  CHECK(says(refusal("--help"), "like an option"));
  CHECK(says(refusal("-12"), "like an option"));
  CHECK(says(refusal(";rm"), "only letters"));
  CHECK(says(refusal("12.1;rm -rf ~"), "only letters"));
  CHECK(says(refusal("$(id)"), "only letters"));
  CHECK(says(refusal("`id`"), "only letters"));
  CHECK(says(refusal("12.1 11.8"), "only letters"));
  CHECK(says(refusal("12,1"), "only letters"));
  CHECK(says(refusal("\xEF\xBB\xBF"
                     "12.1"),
             "only letters"));
  CHECK(says(refusal("12..1"), "not numbers with dots"));
  CHECK(says(refusal("12."), "not numbers with dots"));
  CHECK(says(refusal("1.2.3.4.5.6.7.8.9"), "not numbers with dots"));
  CHECK(says(refusal("12345678901"), "not numbers with dots"));
  CHECK(says(refusal("cuda"), "another meaning"));
  CHECK(says(refusal(std::string(101, '1')), "100 characters"));
}

TEST_CASE("texts of nothing but decoration are refused") {
  for (const char* typed : {".x", ".X", ".*", ".", "..", "*", "=", "==", "!", ",", "<"}) {
    CAPTURE(typed);
    refusal(typed);
  }
}

TEST_CASE("a partial version accepts what begins with it") {
  const Spec spec = Spec::parse("12.1");
  CHECK(spec.accepts(version("12.1")));
  CHECK(spec.accepts(version("12.1.1")));
  CHECK_FALSE(spec.accepts(version("12.10.0")));
  CHECK_FALSE(spec.accepts(version("12")));
  CHECK(Spec::parse("latest").accepts(version("12.1")));
  CHECK_FALSE(Spec::parse("my-prefix").accepts(version("12.1")));
}

TEST_CASE("a range accepts what all of its bounds accept") {
  const Spec spec = Spec::parse(">=12.1,<13");
  CHECK(spec.accepts(version("12.1.0")));
  CHECK(spec.accepts(version("12.9.2")));
  CHECK_FALSE(spec.accepts(version("12.0.1")));
  CHECK_FALSE(spec.accepts(version("13.0.0")));
  CHECK(Spec::parse(" >= 12.1 , < 13 ").accepts(version("12.1.1")));
  CHECK(Spec::parse(">=13.9").accepts(version("13.10.0")));
  CHECK_FALSE(Spec::parse("<=13.9").accepts(version("13.10.0")));
}

TEST_CASE("a bound is compared on as many numbers as it has") {
  CHECK(Spec::parse("<=12.1").accepts(version("12.1.1")));
  CHECK(Spec::parse("==12.1").accepts(version("12.1.1")));
  CHECK(Spec::parse("=12.1").accepts(version("12.1.1")));
  CHECK(Spec::parse("==12.1.*").accepts(version("12.1.1")));
  CHECK_FALSE(Spec::parse("!=12.1").accepts(version("12.1.1")));
  CHECK(Spec::parse("!=12.1").accepts(version("12.2.0")));
  CHECK_FALSE(Spec::parse(">12.1").accepts(version("12.1.1")));
  CHECK(Spec::parse(">12.1").accepts(version("12.2.0")));
  CHECK_FALSE(Spec::parse(">=12.1").accepts(version("12")));
}

TEST_CASE("a broken range is refused with the part that is broken") {
  CHECK(says(refusal(">=12.1,13"), "`13` in it lacks one of"));
  CHECK(says(refusal(">=12.1,"), "lacks one of"));
  CHECK(says(refusal(">="), "not numbers"));
  CHECK(says(refusal(">=abc"), "`abc` is not numbers"));
  CHECK(says(refusal("=>12"), "`>12` is not numbers"));
  CHECK(says(refusal("a=b"), "lacks one of"));
}

TEST_CASE("a prefix's name is letters, digits and a few signs") {
  CHECK(name("11.8-cudnn89") == "11.8-cudnn89");
  CHECK(name("ml_work+2") == "ml_work+2");
  CHECK(name("v12foo") == "v12foo");
  CHECK(name("12.1rc") == "12.1rc");

  CHECK(is_prefix_name("cuda-12.1.1"));
  CHECK(is_prefix_name(std::string(100, 'a')));
  for (const std::string& bad :
       {std::string(101, 'a'), std::string(), std::string(".hidden"), std::string("-x"),
        std::string("a/b"), std::string("a b"), std::string("a\n"), std::string("caf\xC3\xA9"),
        std::string("latest"), std::string("CUDA"), std::string("a\0b", 3)}) {
    CAPTURE(bad);
    CHECK_FALSE(is_prefix_name(bad));
  }
}

}  // namespace
}  // namespace cudaenv
