#include <cstdio>

#include "gpu/driver_version.hpp"

// Prints what the driver that the loader finds can run; the loader reads its path at start-up, so
// each fake needs a process.
int main() {
  const cudaenv::NoInterrupt interrupt;
  const auto version = cudaenv::gpu::driver_cuda_version(interrupt, std::chrono::milliseconds(700));
  std::printf("%s\n", version ? version->text().c_str() : "none");
  return 0;
}
