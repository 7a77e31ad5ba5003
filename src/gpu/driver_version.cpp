#include "gpu/driver_version.hpp"

#include "gpu/library_probe.hpp"
#include "gpu/loaded_library.hpp"

namespace cudaenv::gpu {
namespace {

// In the child. Without cuInit, which takes long where there are GPUs.
void ask(const sys::ChildReport& report) {
  const LoadedLibrary library(libcuda_names, report);
  int version = 0;
  if (library.call("cuDriverGetVersion", &version) == 0) library.tell("version", version);
}

}  // namespace

std::optional<Version> driver_cuda_version(const Interrupt& interrupt,
                                           std::chrono::milliseconds limit) {
  return read_cuda_report(sys::run_in_child(ask, {limit, 1 << 12}, interrupt)).cuda;
}

}  // namespace cudaenv::gpu
