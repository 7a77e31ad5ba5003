#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.hpp"
#include "sys/child.hpp"

namespace cudaenv::gpu {

// How a library of the driver answered. It was loaded in a child process: whatever it does is a
// value here. Texts are fit to show.
struct LibraryProbe {
  enum class End {
    answered,   // each call came back, whatever its status
    not_found,  // the loader knows no such library
    unusable,   // it was found, and is no library or lacks a function
    crashed,
    hung,       // killed when time was over
    not_asked,  // another machine is judged, or asking was not safe
  };
  End end = End::not_asked;
  std::string file;           // that the loader took, without links; empty: none
  std::string detail;         // the loader's words where it was not usable
  std::string call;           // the last one that was made
  int signal = 0;             // where it crashed
  std::optional<int> status;  // of its first call, cuInit or nvmlInit: 0 is well

  bool works() const { return end == End::answered && status == 0; }
};

// What libcuda says, as a program of this environment would hear it: CUDA_VISIBLE_DEVICES counts.
struct CudaProbe : LibraryProbe {
  std::optional<Version> cuda;  // the newest that it runs natively: "13.0"
  std::vector<GpuFacts> gpus;   // visible
};

// What NVML says: every GPU that this process may see, also those that CUDA_VISIBLE_DEVICES hides.
struct NvmlProbe : LibraryProbe {
  std::optional<Version> driver;  // "580.95.05"
  std::optional<Version> cuda;
  std::vector<GpuFacts> gpus;  // partitioned ones, then their instances
  bool exclusive = false;      // a GPU takes one process only
  bool prohibited = false;     // a GPU takes none
  bool partitioned = false;    // a GPU is in MIG mode: programs see its instances only
  bool fabric_waits = false;   // a GPU waits for the fabric manager
};

// nvmlReturn_t: the loaded kernel module is of another version than the library.
inline constexpr int nvml_mismatch = 18;

// What a child reported, read as a stranger's: values that cannot be are left out.
CudaProbe read_cuda_report(const sys::ChildOutcome& outcome);
NvmlProbe read_nvml_report(const sys::ChildOutcome& outcome);

// Load the library that the loader finds (on WSL2 also below /usr/lib/wsl/lib) and ask it, in a
// child process with a time limit.
CudaProbe probe_cuda(const Interrupt& interrupt, std::chrono::milliseconds limit);
NvmlProbe probe_nvml(const Interrupt& interrupt, std::chrono::milliseconds limit);

}  // namespace cudaenv::gpu
