#pragma once

#include <string>
#include <vector>

#include "gpu/kernel_view.hpp"
#include "gpu/library_probe.hpp"
#include "gpu/smi.hpp"
#include "model/facts.hpp"

namespace cudaenv::gpu {

// Everything that was heard of the driver and its GPUs, and what follows from it.
struct DriverReport {
  KernelView kernel;
  CudaProbe cuda;
  NvmlProbe nvml;
  SmiAnswer smi;
  std::vector<GpuFacts> kernel_gpus;  // where the libraries know none

  DriverFacts facts;
  std::vector<GpuFacts> gpus;        // all, also those that this environment hides
  std::vector<std::string> visible;  // the UUIDs of those that programs see, in CUDA's order
  std::string libcuda;               // the file that programs load; empty: none
};

// Where a libcuda of the cuda-compat package lies: a folder compat, or compat_orin on a Jetson.
bool is_compat_library(std::string_view path);
// A libcuda of a toolkit's stubs folder, which is there to link against and can do nothing.
bool is_stub_library(std::string_view path);
// "580.95.05" of libcuda.so.580.95.05.
std::optional<Version> version_of_library(std::string_view path);

// What follows: a pure function of the four answers and, for a tree that nothing is loaded from,
// of the libcuda that lies in it.
void conclude(DriverReport& report);

// Asks in the order of trust: libcuda and NVML (on this machine only), /sys and /proc, and
// nvidia-smi where neither library answered. After a hang nothing is asked that may wait for the
// same driver.
DriverReport driver_report(const sys::Tree& tree, const sys::Environment& environment,
                           const Interrupt& interrupt,
                           std::chrono::milliseconds limit = std::chrono::seconds(20));

}  // namespace cudaenv::gpu
