#include "gpu/bench.hpp"

#include <doctest/doctest.h>

#include "gpu/bench_parts.hpp"

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

TEST_CASE("a chip's peak is that of its maker's papers") {
  // A100: 108 multiprocessors at 1.41 GHz.
  CHECK(*peak_tflops({8, 0}, 108, 1.41e9, Arithmetic::bf16) == doctest::Approx(312).epsilon(0.01));
  CHECK(*peak_tflops({8, 0}, 108, 1.41e9, Arithmetic::fp32) == doctest::Approx(19.5).epsilon(0.01));
  // H100 SXM: 132 at 1.83 GHz.
  CHECK(*peak_tflops({9, 0}, 132, 1.83e9, Arithmetic::bf16) == doctest::Approx(989).epsilon(0.01));
  CHECK(*peak_tflops({9, 0}, 132, 1.83e9, Arithmetic::tf32) == doctest::Approx(495).epsilon(0.01));
  CHECK_FALSE(peak_tflops({3, 5}, 15, 0.8e9, Arithmetic::fp32));
}
