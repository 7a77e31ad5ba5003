#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cudaenv::gpu {

// What the memory test writes: a function of a word's place, the same as in kernels/memory.cu.
struct MemoryPattern {
  std::string name;  // "walking_one_16"
  std::uint32_t kind;
  std::uint64_t parameter;

  // What the 64-bit word of this number holds.
  std::uint64_t word(std::uint64_t number) const;
};

// Every bit is written as 0 and as 1, beside neighbours that are alike and that are not.
const std::vector<MemoryPattern>& memory_patterns();

}  // namespace cudaenv::gpu
