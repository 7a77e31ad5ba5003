#pragma once

#include <chrono>
#include <optional>

#include "base/interrupt.hpp"
#include "model/version.hpp"

namespace cudaenv::gpu {

// The newest CUDA version that the installed driver runs natively ("13.0"), as libcuda's
// cuDriverGetVersion tells; nothing where there is no driver. libcuda is loaded in a child process
// with a time limit, because a broken driver can hang or crash whoever loads it. Needs no GPU.
std::optional<Version> driver_cuda_version(
    const Interrupt& interrupt, std::chrono::milliseconds limit = std::chrono::seconds(10));

}  // namespace cudaenv::gpu
