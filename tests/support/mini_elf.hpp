#pragma once

#include <cstdint>
#include <string>

namespace cudaenv::test {

// The bytes of a shared library that says it is called `soname`; with `symbol`, one that labels the
// 8-byte constant `value`, as cuDNN's parts have their version. It has a head and no code.
std::string mini_library(const std::string& soname, const std::string& symbol = {},
                         std::uint64_t value = 0);

}  // namespace cudaenv::test
