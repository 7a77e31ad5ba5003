#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "commands/host.hpp"
#include "gpu/monitor.hpp"

namespace cudaenv::commands {

// How long the driver may take for one answer: CUDAENV_DRIVER_TIMEOUT in seconds, else 20.
std::chrono::milliseconds driver_timeout(const Host& host);

// Why there are no readings, in one line, lower case.
struct GpuTrouble {
  bool missing = false;  // no driver or no GPU is here: nothing is broken
  std::string what;
  std::string help;  // empty: none
};

// Nothing where at least one GPU was found and the driver answered to the end.
std::optional<GpuTrouble> trouble_of(const gpu::Readings& readings);

// What NVML's status means for a GPU: "it has fallen off the bus".
std::string nvml_words(int status);

}  // namespace cudaenv::commands
