#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "gpu/library.hpp"
#include "gpu/loaded_library.hpp"

// What every talk with NVML needs, in a child: its types as its header declares them, and what
// tells one device from another.
namespace cudaenv::gpu::nvml {

using Device = void*;
inline constexpr unsigned most_devices = 128;

struct PciInfo {  // nvmlPciInfo_t
  std::array<char, 16> old_bus_id{};
  std::array<std::uint32_t, 5> numbers{};
  std::array<char, 32> bus_id{};
};
struct Memory {  // nvmlMemory_t
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};

// "device", then name, UUID, memory and capability, as far as the library knows them.
void tell_device(const LoadedLibrary& library, Device device, std::string_view kind);

struct OpenedDevice {
  Library library;
  Device device;
};

// NVML, started, and its handle of the GPU of this UUID. Throws CheckSkipped where it is not there
// or does not know the GPU.
OpenedDevice open_device(const std::string& uuid);

}  // namespace cudaenv::gpu::nvml
