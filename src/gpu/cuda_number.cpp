#include "gpu/cuda_number.hpp"

#include <fmt/format.h>

namespace cudaenv::gpu {

std::optional<Version> cuda_from_number(long long number) {
  if (number < 1000 || number > 1'000'000) return std::nullopt;
  return Version::parse(fmt::format("{}.{}", number / 1000, number % 1000 / 10));
}

}  // namespace cudaenv::gpu
