#include "model/facts.hpp"

#include <string>

#include <doctest/doctest.h>

namespace cudaenv {
namespace {

TEST_CASE("a compute capability is read as people and compilers write it") {
  for (const std::string text : {"9.0", "sm_90", "sm_90a", "compute_90"}) {
    CAPTURE(text);
    REQUIRE(ComputeCapability::parse(text));
    CHECK(ComputeCapability::parse(text)->text() == "9.0");
  }
  CHECK(ComputeCapability::parse("12.1")->sm() == "sm_121");
  CHECK(ComputeCapability::parse("sm_103f")->text() == "10.3");
  for (const std::string text : {"", "9", "90", "sm_9", "sm_", "sm_90b", "9.0.1", "9.10", "a.b"}) {
    CAPTURE(text);
    CHECK_FALSE(ComputeCapability::parse(text));
  }
}

TEST_CASE("compute capabilities are compared number by number") {
  CHECK(*ComputeCapability::parse("10.0") > *ComputeCapability::parse("9.0"));
  CHECK(*ComputeCapability::parse("8.9") > *ComputeCapability::parse("8.6"));
}

}  // namespace
}  // namespace cudaenv
