#include "commands/remedies.hpp"

#include <doctest/doctest.h>

using namespace cudaenv;

TEST_CASE("every layer has a remedy, and codes that say more have their own (F30)") {
  for (int i = 0; i <= static_cast<int>(Layer::crash); ++i) {
    CHECK_FALSE(commands::remedies({static_cast<Layer>(i), 0, "", "x"}).empty());
  }
  const auto first = [](Layer layer, int code) {
    return commands::remedies({layer, code, "", "x"})[0];
  };
  for (const int code : {34, 35, 46, 100, 222, 802, 803, 804, 805, 999}) {
    CHECK(first(layer_of_cuda_error(code), code) != first(layer_of_cuda_error(code), 0));
  }
  CHECK(first(Layer::busy, 46).find("not at fault") != std::string::npos);
}

TEST_CASE("a signal or a library's status is no error of CUDA") {
  const auto plain = commands::remedies({Layer::library, 0, "", "x"});
  CHECK(commands::remedies({Layer::library, 100, "", "x"}) == plain);
  CHECK(commands::remedies({Layer::crash, 35, "", "x"}) ==
        commands::remedies({Layer::crash, 11, "SIGSEGV", "x"}));
}
