#include "sys/scope.hpp"

#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

using cudaenv::sys::OnFailure;

namespace {

// What the clean-up sees when it is run while another exception unwinds.
struct SucceedsWhileUnwinding {
  bool& ran;
  ~SucceedsWhileUnwinding() {
    const OnFailure clean_up([&] { ran = true; });
  }
};

}  // namespace

TEST_CASE("a clean-up runs when the scope is left by an exception, and only then") {
  bool ran = false;
  {
    const OnFailure clean_up([&] { ran = true; });
  }
  CHECK_FALSE(ran);
  try {
    const OnFailure clean_up([&] { ran = true; });
    throw std::runtime_error("x");
  } catch (const std::runtime_error&) {
  }
  CHECK(ran);
}

TEST_CASE("a scope that succeeds inside another's failure needs no clean-up") {
  bool ran = false;
  try {
    const SucceedsWhileUnwinding inner{ran};
    throw std::runtime_error("x");
  } catch (const std::runtime_error&) {
  }
  CHECK_FALSE(ran);
}

TEST_CASE("the first failure is the one that is reported, not the clean-up's") {
  try {
    const OnFailure clean_up([] { throw std::logic_error("second"); });
    throw std::runtime_error("first");
  } catch (const std::exception& error) {
    CHECK(std::string(error.what()) == "first");
  }
}
