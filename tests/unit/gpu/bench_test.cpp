#include "gpu/bench.hpp"

#include <doctest/doctest.h>

using namespace cudaenv;
using namespace cudaenv::gpu;

TEST_CASE("median and quartiles lie between the samples they come from") {
  Figure figure;
  summarize({4, 1, 3, 2, 5}, figure);
  CHECK(figure.median == 3);
  CHECK(figure.low == 2);
  CHECK(figure.high == 4);
  summarize({1, 2}, figure);
  CHECK(figure.median == doctest::Approx(1.5));
  summarize({7}, figure);
  CHECK(figure.high == 7);
}
