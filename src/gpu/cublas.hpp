#pragma once

#include <filesystem>

#include "gpu/math_library.hpp"

namespace cudaenv::gpu {

// The part of a toolkit's cuBLAS that is proved and measured. Names and numbers are those of
// cublas_api.h and library_types.h.
struct Cublas {
  // Throws CheckFailed(library).
  static Cublas load(const std::filesystem::path& toolkit);

  static constexpr int type_32f = 0;            // CUDA_R_32F
  static constexpr int type_16f = 2;            // CUDA_R_16F
  static constexpr int type_16bf = 14;          // CUDA_R_16BF
  static constexpr int compute_32f = 68;        // CUBLAS_COMPUTE_32F
  static constexpr int compute_fast_tf32 = 77;  // CUBLAS_COMPUTE_32F_FAST_TF32

  Status (*create)(Handle* handle);
  Status (*destroy)(Handle handle);
  Status (*version)(Handle handle, int* version);
  Status (*set_stream)(Handle handle, Handle stream);
  Status (*sgemm)(Handle, int, int, int, int, int, const float*, DevicePointer, int, DevicePointer,
                  int, const float*, DevicePointer, int);
  Status (*dgemm)(Handle, int, int, int, int, int, const double*, DevicePointer, int, DevicePointer,
                  int, const double*, DevicePointer, int);
  Status (*gemm_ex)(Handle, int, int, int, int, int, const void*, DevicePointer, int, int,
                    DevicePointer, int, int, const void*, DevicePointer, int, int, int, int);
};

}  // namespace cudaenv::gpu
