#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gpu/library.hpp"
#include "model/failure.hpp"

namespace cudaenv::gpu {

// The part of libcuda that the self-test uses, as every driver from R450 on has it. Names, types
// and numbers are those of cuda.h; handles are pointers to what only the driver knows.
using Result = int;
using DevicePointer = std::uint64_t;
using Handle = void*;

enum class Attribute : int {
  max_threads_per_block = 1,
  clock_khz = 13,
  multiprocessors = 16,
  compute_mode = 20,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  compute_major = 75,
  compute_minor = 76,
};

struct Uuid {
  unsigned char bytes[16];
};

struct DriverApi {
  // Loads libcuda. Throws CheckFailed(no_driver, library).
  static DriverApi load();

  Result (*init)(unsigned flags);
  Result (*driver_version)(int* version);
  Result (*error_name)(Result, const char** name);
  Result (*error_string)(Result, const char** text);
  Result (*device_count)(int* count);
  Result (*device)(int* device, int ordinal);
  Result (*device_name)(char* name, int size, int device);
  Result (*device_uuid)(Uuid* uuid, int device);
  Result (*device_memory)(std::size_t* bytes, int device);
  Result (*device_attribute)(int* value, int attribute, int device);
  Result (*retain_context)(Handle* context, int device);
  Result (*release_context)(int device);
  Result (*set_context)(Handle context);
  Result (*synchronize)();
  Result (*create_stream)(Handle* stream, unsigned flags);
  Result (*load_module)(Handle* module, const void* image, unsigned options, int* keys,
                        void** values);
  Result (*unload_module)(Handle module);
  Result (*function)(Handle* function, Handle module, const char* name);
  Result (*launch)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   Handle stream, void** arguments, void** extra);
  Result (*allocate)(DevicePointer* memory, std::size_t bytes);
  Result (*release)(DevicePointer memory);
  Result (*free_memory)(std::size_t* free, std::size_t* total);
  Result (*to_device)(DevicePointer to, const void* from, std::size_t bytes);
  Result (*to_host)(void* to, DevicePointer from, std::size_t bytes);
  Result (*set_bytes)(DevicePointer memory, unsigned char value, std::size_t count);
  Result (*can_access_peer)(int* yes, int device, int peer);
  Result (*enable_peer)(Handle context, unsigned flags);
  Result (*copy_peer)(DevicePointer to, Handle to_context, DevicePointer from, Handle from_context,
                      std::size_t bytes);

  // Throws CheckFailed where the result is not 0: "<doing>: <name of the error>".
  void check(Result result, std::string_view doing) const;
  Failure failure(Result result, std::string_view doing) const;
};

// "GPU-8c8b7f2a-...": how the driver's tools write it.
std::string uuid_text(const Uuid& uuid, bool mig);

}  // namespace cudaenv::gpu
