#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "commands/host.hpp"
#include "model/facts.hpp"

namespace cudaenv::commands {

struct VisibleGpus {
  std::vector<GpuFacts> gpus;  // in CUDA's order; none where the driver is broken
  std::string nothing;         // why there is nothing to test; empty: there is something
};

// The GPUs that programs of this environment see, instances of partitioned ones each by itself.
VisibleGpus visible_gpus(const Host& host, std::chrono::milliseconds limit);

// The numbers of those that are named: by number or the beginning of a UUID, as for
// CUDA_VISIBLE_DEVICES; all where none is. Throws Error(usage) for one that is not there.
std::vector<int> chosen_gpus(const std::vector<GpuFacts>& visible,
                             const std::vector<std::string>& typed);

}  // namespace cudaenv::commands
