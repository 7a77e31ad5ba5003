#include "gpu/memory_pattern.hpp"

namespace cudaenv::gpu {

// The numbers of kernels/memory.cu.
std::uint64_t MemoryPattern::word(std::uint64_t number) const {
  switch (kind) {
    case 0:
      return parameter;
    case 1:
      return std::uint64_t{1} << ((number + parameter) & 63);
    case 2:
      return ~(std::uint64_t{1} << ((number + parameter) & 63));
    case 3:
      return number ^ parameter;
    default: {
      std::uint64_t mixed = (number + parameter) * 0x9e3779b97f4a7c15u;
      mixed ^= mixed >> 32;
      return mixed * 0xd6e8feb86659fd93u;
    }
  }
}

const std::vector<MemoryPattern>& memory_patterns() {
  static const std::vector<MemoryPattern> patterns{
      {"zeros", 0, 0},
      {"ones", 0, ~std::uint64_t{0}},
      {"even_bits", 0, 0x5555555555555555u},
      {"odd_bits", 0, 0xaaaaaaaaaaaaaaaau},
      {"walking_one_0", 1, 0},
      {"walking_one_16", 1, 16},
      {"walking_one_32", 1, 32},
      {"walking_one_48", 1, 48},
      {"walking_zero_0", 2, 0},
      {"walking_zero_16", 2, 16},
      {"walking_zero_32", 2, 32},
      {"walking_zero_48", 2, 48},
      {"address", 3, 0},
      {"address_inverted", 3, ~std::uint64_t{0}},
      {"random_1", 4, 0x0123456789abcdefu},
      {"random_2", 4, 0xfedcba9876543210u},
  };
  return patterns;
}

}  // namespace cudaenv::gpu
