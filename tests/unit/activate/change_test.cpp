#include "activate/change.hpp"

#include <doctest/doctest.h>

using namespace cudaenv::activate;

TEST_CASE("a toolkit's environment names it everywhere that tools look") {
  const auto after = activated({{"PATH", "/usr/bin:/bin"}}, "/r/cuda-12.1.1", {});
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT"}) {
    CHECK(after.at(name) == "/r/cuda-12.1.1");
  }
  CHECK(after.at("CUDACXX") == "/r/cuda-12.1.1/bin/nvcc");
  CHECK(after.at("PATH") == "/r/cuda-12.1.1/bin:/usr/bin:/bin");
  CHECK(after.at("LD_LIBRARY_PATH") == "/r/cuda-12.1.1/lib");
  CHECK_FALSE(after.count("MANPATH"));
}

TEST_CASE("no list gets an empty element, which would mean the current folder") {
  const auto after = activated({{"PATH", ":/bin::"}, {"LD_LIBRARY_PATH", ""}}, "/p", {});
  CHECK(after.at("PATH") == "/p/bin:/bin");
  CHECK(after.at("LD_LIBRARY_PATH") == "/p/lib");
}

TEST_CASE("a switch takes out what the last toolkit had put in, and nothing else") {
  const Variables before{{"PATH", "/usr/bin"}, {"LD_LIBRARY_PATH", "/opt/x/lib"}};
  const auto once = activated(before, "/r/cuda-11.8.0", {});
  const auto twice = activated(once, "/r/cuda-12.1.1", {});
  CHECK(twice.at("PATH") == "/r/cuda-12.1.1/bin:/usr/bin");
  CHECK(twice.at("LD_LIBRARY_PATH") == "/r/cuda-12.1.1/lib:/opt/x/lib");
  CHECK(activated(twice, "/r/cuda-12.1.1", {}) == twice);
}

TEST_CASE("LD_LIBRARY_PATH and CUDACXX can be left alone") {
  const auto after = activated({{"CUDACXX", "mine"}}, "/p", {false, false});
  CHECK_FALSE(after.count("LD_LIBRARY_PATH"));
  CHECK(after.at("CUDACXX") == "mine");
}
