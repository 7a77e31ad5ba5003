#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compat/finding.hpp"
#include "compat/tables.hpp"

namespace cudaenv::compat {

// What a toolkit can do for a GPU.
enum class GpuSupport {
  compiled,    // nvcc compiles for it
  compatible,  // not by its number, but code for an older GPU of the same major runs on it
  jit_only,    // newer than the toolkit: only PTX runs, compiled by the driver at the start
  dropped,     // older than what the toolkit still compiles for
  too_new,     // the driver does not know it yet
  unknown,
};
std::string_view name_of(GpuSupport support);

struct GpuVerdict {
  GpuSupport support = GpuSupport::unknown;
  std::optional<ComputeCapability> capability;
  std::optional<Version> first_toolkit;  // minor
  std::optional<Version> last_toolkit;
  std::vector<Finding> findings;
};

// The capability that was read, else that of the GPU's name.
std::optional<ComputeCapability> capability_of(const Tables& tables, const GpuFacts& gpu);

// A GPU with a toolkit, and with the driver where one is known.
GpuVerdict judge_gpu(const Tables& tables, const Version& toolkit, const GpuFacts& gpu,
                     const DriverFacts& driver);

}  // namespace cudaenv::compat
