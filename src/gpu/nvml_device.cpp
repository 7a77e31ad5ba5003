#include "gpu/nvml_device.hpp"

#include <fmt/format.h>

#include "gpu/checks.hpp"

namespace cudaenv::gpu::nvml {

void tell_device(const LoadedLibrary& library, Device device, std::string_view kind) {
  library.tell("device", kind);
  std::array<char, 128> text{};
  if (library.call("nvmlDeviceGetName", device, text.data(), 127u) == 0) {
    library.tell("name", text.data());
  }
  text = {};
  if (library.call("nvmlDeviceGetUUID", device, text.data(), 127u) == 0) {
    library.tell("uuid", text.data());
  }
  Memory memory;
  if (library.call("nvmlDeviceGetMemoryInfo", device, &memory) == 0) {
    library.tell("memory", static_cast<long long>(memory.total));
  }
  int major = 0;
  int minor = 0;
  if (library.call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor) == 0) {
    library.tell("capability", fmt::format("{}.{}", major, minor));
  }
}

OpenedDevice open_device(const std::string& uuid) {
  OpenedDevice opened{Library::nvml(), nullptr};
  int (*init)() = nullptr;
  int (*by_uuid)(const char*, Device*) = nullptr;
  opened.library.find(init, "nvmlInit_v2");
  opened.library.find(by_uuid, "nvmlDeviceGetHandleByUUID");
  if (init() != 0 || by_uuid(uuid.c_str(), &opened.device) != 0) {
    throw CheckSkipped("NVML does not know the GPU");
  }
  return opened;
}

}  // namespace cudaenv::gpu::nvml
