#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.hpp"

namespace cudaenv {

// What holds a GPU's clocks below what they could be, as a set; NVML's own bits
// (nvmlClocksEventReasons in nvml.h).
namespace throttle {
inline constexpr std::uint64_t idle = 0x1;
inline constexpr std::uint64_t application_clocks = 0x2;
inline constexpr std::uint64_t power_cap = 0x4;
inline constexpr std::uint64_t hardware = 0x8;
inline constexpr std::uint64_t sync_boost = 0x10;
inline constexpr std::uint64_t thermal = 0x20;
inline constexpr std::uint64_t hardware_thermal = 0x40;
inline constexpr std::uint64_t power_brake = 0x80;
inline constexpr std::uint64_t display_clocks = 0x100;

inline constexpr std::uint64_t any_heat = thermal | hardware_thermal;
inline constexpr std::uint64_t any_power = power_cap | power_brake;

// "idle", "power cap", "too hot", ...; "unknown reason 0x200" for a bit of a newer driver.
std::vector<std::string> in_words(std::uint64_t reasons);
}  // namespace throttle

// A process that has memory of a GPU or runs kernels on it.
struct GpuProcess {
  std::uint32_t pid = 0;
  std::string owner;                     // user name, or number; empty: not seen from here
  std::string command;                   // as the process calls itself; empty: not seen from here
  std::optional<std::uint64_t> memory;   // bytes
  std::optional<unsigned> gpu_instance;  // where the GPU is partitioned
  bool graphics = false;                 // draws, rather than computes
};

// Memory of a GPU or of an instance of it, bytes.
struct GpuMemory {
  std::uint64_t total = 0;
  std::uint64_t used = 0;  // with what the driver keeps for itself
  std::uint64_t free = 0;
};

// An instance of a partitioned GPU.
struct GpuInstance {
  GpuFacts facts;
  std::optional<GpuMemory> memory;
  std::optional<unsigned> gpu_instance;
  std::optional<unsigned> compute_instance;
};

// Errors that the GPU's memory corrected or could not correct, since the driver was loaded and in
// its life.
struct EccCounts {
  std::optional<std::uint64_t> corrected;
  std::optional<std::uint64_t> uncorrected;
  std::optional<std::uint64_t> corrected_ever;
  std::optional<std::uint64_t> uncorrected_ever;
};

struct PcieLink {
  std::optional<unsigned> generation;
  std::optional<unsigned> width;  // lanes
  std::optional<unsigned> most_generation;
  std::optional<unsigned> most_width;
};

// One look at one GPU. What the chip does not have, or does not tell, is absent, never 0.
struct GpuReading {
  unsigned index = 0;       // NVML's
  std::optional<int> lost;  // the nvmlReturn_t where the GPU does not answer any more
  GpuFacts facts;
  std::optional<GpuMemory> memory;
  // Percent of the driver's sampling period (1/6 s to 1 s) in which a kernel ran, and in which
  // memory was read or written.
  std::optional<unsigned> utilization;
  std::optional<unsigned> memory_utilization;
  std::optional<unsigned> temperature;  // of the chip, Celsius
  std::optional<std::uint64_t> power;   // milliwatts
  std::optional<std::uint64_t> power_limit;
  std::optional<unsigned> clock;  // of the multiprocessors, MHz
  std::optional<unsigned> most_clock;
  std::optional<unsigned> memory_clock;
  std::optional<unsigned> most_memory_clock;
  std::optional<std::uint64_t> throttle;  // reasons
  std::optional<EccCounts> ecc;           // absent where the chip has none or it is off
  std::optional<bool> partitioned;        // MIG; absent where the chip cannot
  std::vector<GpuInstance> instances;
  PcieLink pcie;
  std::optional<std::vector<GpuProcess>> processes;

  // Asked for where a run is watched. Bytes a second over the link, seen from the GPU.
  std::optional<std::uint64_t> received;
  std::optional<std::uint64_t> sent;
  // Percent since the reading before, from the counters of Hopper and newer (NVML's GPM): of the
  // multiprocessors that were busy, of the time that tensor cores worked, of the memory's
  // bandwidth.
  std::optional<double> busy_multiprocessors;
  std::optional<double> tensor_activity;
  std::optional<double> memory_bandwidth;
};

// Bytes a second in one direction that a PCIe link can carry, without its protocol's overhead of
// packets: PCI-SIG's rates, coded 8b/10b up to generation 2, 128b/130b up to 5, not in 6. Nothing
// for a generation that is not known.
std::optional<std::uint64_t> pcie_capacity(unsigned generation, unsigned width);

}  // namespace cudaenv
