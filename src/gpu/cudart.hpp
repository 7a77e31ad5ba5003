#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "gpu/driver_api.hpp"

namespace cudaenv::gpu {

// The part of a toolkit's libcudart that the self-test uses, the same from 11.0 to 13.x. Names are
// those of cuda_runtime_api.h.
struct Cudart {
  // Throws CheckFailed(library).
  static Cudart load(const std::filesystem::path& file);

  Result (*runtime_version)(int* version);
  Result (*device_count)(int* count);
  Result (*set_device)(int ordinal);
  Result (*allocate)(void** memory, std::size_t bytes);
  Result (*release)(void* memory);
  Result (*copy)(void* to, const void* from, std::size_t bytes, int kind);
  Result (*set_bytes)(void* memory, int value, std::size_t count);
  Result (*synchronize)();
  const char* (*error_name)(Result);
  const char* (*error_string)(Result);

  // Throws CheckFailed where the result is not 0.
  void check(Result result, std::string_view doing) const;
};

// "12.1" of 12010, as the runtime, the driver and NVRTC count.
std::string version_text(int number);

}  // namespace cudaenv::gpu
