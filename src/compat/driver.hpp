#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compat/finding.hpp"
#include "compat/tables.hpp"

namespace cudaenv::compat {

// How a driver runs the programs of a toolkit.
enum class DriverSupport {
  native,         // everything works
  minor_version,  // compiled code works; PTX of this toolkit and calls newer than the driver do not
  forward_compat,  // only with NVIDIA's cuda-compat package in front of the driver's libcuda
  none,
  unknown,
};
std::string_view name_of(DriverSupport support);

struct DriverVerdict {
  DriverSupport support = DriverSupport::unknown;
  std::optional<Version> toolkit_driver;  // what NVIDIA built and tested the release with
  std::optional<Version> floor;           // the least that runs it; nothing before CUDA 11
  std::optional<Version> ceiling;         // the newest CUDA that the driver runs natively
  std::string package;                    // "cuda-compat-12-9", where it would help on this branch
  std::vector<Finding> findings;
};

// A toolkit on a driver. The GPUs decide whether forward compatibility is open to it; without any
// it is not counted on.
DriverVerdict judge_driver(const Tables& tables, const Version& toolkit, const DriverFacts& driver,
                           const std::vector<GpuFacts>& gpus);

// The newest toolkit of the tables that a driver runs at all, and natively.
std::optional<Version> newest_toolkit(const Tables& tables, const DriverFacts& driver,
                                      bool natively);

}  // namespace cudaenv::compat
