#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/version.hpp"

namespace cudaenv {

// A compute capability, "9.0": which instructions a GPU runs. Compared number by number.
struct ComputeCapability {
  unsigned major = 0;
  unsigned minor = 0;

  // "9.0", "12.1", "sm_90", "sm_90a", "compute_86"; nothing for anything else.
  static std::optional<ComputeCapability> parse(std::string_view text);

  std::string text() const;  // "9.0"
  std::string sm() const;    // "sm_90"
  auto operator<=>(const ComputeCapability&) const = default;
};

// What is known of a machine, found on it or assumed of another. A rule that needs what is absent
// says unknown, never fine.

struct GpuFacts {
  std::string name;    // "NVIDIA H200"; empty: unknown
  std::string uuid;    // "GPU-..." or "MIG-..."; empty: unknown
  std::string bus_id;  // PCI, "00000000:1B:00.0"; empty: unknown or MIG
  std::optional<ComputeCapability> capability;
  std::optional<std::uint64_t> memory_bytes;
  bool mig = false;  // an instance of a partitioned GPU
};

enum class DriverState {
  working,     // libcuda answers
  absent,      // neither kernel module nor library
  no_module,   // the library is there, the kernel module is not loaded
  no_library,  // the module is loaded, libcuda is not found
  no_device,   // loaded, but no GPU, or none visible to this process
  mismatch,    // the library is of another version than the loaded module
  broken,      // libcuda fails, crashes or hangs
  unknown,     // not looked at: another machine is assumed
};

struct DriverFacts {
  DriverState state = DriverState::unknown;
  std::optional<Version> module_version;   // the kernel module's, "580.95.05"
  std::optional<Version> library_version;  // libcuda's or NVML's own
  std::optional<Version> cuda;             // the newest CUDA that libcuda runs natively: "13.0"
  std::optional<int> error;                // what cuInit returned, where it failed (CUresult)
  bool compat_library = false;             // a forward-compatibility libcuda is in front
  bool open_module = false;                // the open kernel module

  // The version that decides: the module's, else the library's.
  std::optional<Version> version() const {
    return module_version ? module_version : library_version;
  }
};

struct CompilerFacts {
  std::string family;  // "gcc" or "clang"
  Version version;
  std::string path;  // empty: assumed
};

}  // namespace cudaenv
