#include "model/failure.hpp"

#include <doctest/doctest.h>

using namespace cudaenv;

TEST_CASE("every layer has a word of its own, which is read back") {
  for (int i = 0; i <= static_cast<int>(Layer::crash); ++i) {
    const auto layer = static_cast<Layer>(i);
    CHECK_FALSE(name_of(layer).empty());
    CHECK(parse_layer(name_of(layer)) == layer);
  }
  CHECK_FALSE(parse_layer("drivers"));
  CHECK_FALSE(parse_layer(""));
}

TEST_CASE("an error of CUDA belongs to the layer that has to be mended") {
  CHECK(layer_of_cuda_error(34) == Layer::no_driver);
  CHECK(layer_of_cuda_error(35) == Layer::toolkit_newer);
  CHECK(layer_of_cuda_error(222) == Layer::toolkit_newer);
  CHECK(layer_of_cuda_error(804) == Layer::toolkit_newer);
  CHECK(layer_of_cuda_error(100) == Layer::no_device);
  CHECK(layer_of_cuda_error(46) == Layer::busy);
  CHECK(layer_of_cuda_error(805) == Layer::busy);
  CHECK(layer_of_cuda_error(214) == Layer::hardware);
  CHECK(layer_of_cuda_error(221) == Layer::jit);
  CHECK(layer_of_cuda_error(209) == Layer::no_image);
  CHECK(layer_of_cuda_error(700) == Layer::kernel);
  CHECK(layer_of_cuda_error(999) == Layer::driver);
  CHECK(layer_of_cuda_error(12345) == Layer::driver);
}
