#include "install/supply.hpp"

#include <doctest/doctest.h>

using namespace cudaenv;

TEST_CASE("an archive's top folder is taken off") {
  CHECK(install::archive_place("nvcc-12.1-archive", "nvcc-12.1-archive/bin/nvcc") == "bin/nvcc");
  CHECK_FALSE(install::archive_place("nvcc-12.1-archive", "nvcc-12.1-archive"));
  CHECK(install::archive_place("nvcc-12.1-archive", "elsewhere/x") == "elsewhere/x");
}

TEST_CASE("a component's own lib64 folder becomes lib, but nvvm's stays") {
  CHECK(install::archive_place("t", "t/lib64/libx.a") == "lib/libx.a");
  CHECK_FALSE(install::archive_place("t", "t/lib64"));
  CHECK(install::archive_place("t", "t/nvvm/lib64/libnvvm.so") == "nvvm/lib64/libnvvm.so");
}
