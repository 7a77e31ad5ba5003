#include "model/gpu_reading.hpp"

#include <doctest/doctest.h>

using namespace cudaenv;
using Words = std::vector<std::string>;

TEST_CASE("throttle reasons are said in words, a new one by its number") {
  CHECK(throttle::in_words(0).empty());
  CHECK(throttle::in_words(throttle::power_cap | throttle::thermal) ==
        Words{"power cap", "too hot"});
  CHECK(throttle::in_words(0x201) == Words{"idle", "unknown reason 0x200"});
}

TEST_CASE("a PCIe link carries what its generation and width give") {
  CHECK(pcie_capacity(3, 16) == 15'753'846'153);
  CHECK(pcie_capacity(1, 1) == 250'000'000);
  CHECK(*pcie_capacity(5, 16) > 63'000'000'000);
  CHECK_FALSE(pcie_capacity(0, 16));
  CHECK_FALSE(pcie_capacity(9, 16));
}
