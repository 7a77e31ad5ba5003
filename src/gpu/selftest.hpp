#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.hpp"
#include "gpu/checks.hpp"
#include "model/facts.hpp"
#include "sys/environment.hpp"

namespace cudaenv::gpu {

// What the self-test can prove, from the bottom to the top.
//   driver: PTX of ours is compiled by the driver and runs
//   runtime: this toolkit's libcudart and libnvrtc work; NVRTC's machine code and PTX run
//   compiler: this toolkit's nvcc compiles and links with the host compiler, and the program runs
//   libraries: cuBLAS, cuFFT, cuDNN and NCCL of this toolkit give the CPU's results
//   memory: all free memory keeps what is written to it
enum class Level { driver, runtime, compiler, libraries, memory };
std::string_view name_of(Level level);
std::optional<Level> parse_level(std::string_view name);
bool needs_toolkit(Level level);  // all but driver and memory

// One level on one GPU, or what several do together.
struct LevelRequest {
  std::filesystem::path toolkit;  // empty where the level needs none
  std::string uuid;               // of the GPU, "GPU-..." or "MIG-..."; empty: the first
  ComputeCapability capability;   // of the GPU: what nvcc compiles for
  std::optional<std::chrono::milliseconds> limit;  // for each process; nothing: by the level
  Plant plant = Plant::none;
};

// Runs a level, each part in a process of its own with a time limit, and tells what each check
// found; nothing it meets is an Error. Throws only Interrupted, and where no process can be made.
std::vector<Check> run_level(Level level, const LevelRequest& request,
                             const sys::Environment& environment, const Interrupt& interrupt);

// What several GPUs do together: each copies from the others and reaches their memory where it can.
std::vector<Check> run_peers(const std::vector<std::string>& uuids, const LevelRequest& request,
                             const Interrupt& interrupt);

// The all-reduce of the toolkit's NCCL over these GPUs, which may be one.
std::vector<Check> run_nccl(const std::vector<std::string>& uuids, const LevelRequest& request,
                            const Interrupt& interrupt);

}  // namespace cudaenv::gpu
