#pragma once

#include <optional>

#include "model/version.hpp"

namespace cudaenv::gpu {

// 13000 is "13.0", 12040 is "12.4": as libcuda, NVML and cuda.h count. Nothing for what no CUDA is.
std::optional<Version> cuda_from_number(long long number);

}  // namespace cudaenv::gpu
