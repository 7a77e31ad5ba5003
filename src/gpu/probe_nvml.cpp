#include <array>
#include <cstdint>

#include "gpu/library_probe.hpp"
#include "gpu/loaded_library.hpp"
#include "gpu/nvml_device.hpp"

namespace cudaenv::gpu {
namespace {

using nvml::Device;
using nvml::most_devices;
using nvml::PciInfo;
using nvml::tell_device;

// nvmlComputeMode_t and nvmlGpuFabricState_t.
constexpr int mode_prohibited = 2;
constexpr int mode_exclusive_process = 3;
constexpr unsigned fabric_not_started = 1;
constexpr unsigned fabric_in_progress = 2;

struct FabricInfo {  // nvmlGpuFabricInfo_t, with room for what may be added
  std::array<unsigned char, 16> cluster{};
  int status = 0;
  unsigned clique = 0;
  unsigned char state = 0;
  std::array<unsigned char, 231> room{};
};

void tell_instances(const LoadedLibrary& library, Device device) {
  unsigned mode = 0;
  unsigned pending = 0;
  unsigned most = 0;
  if (library.call("nvmlDeviceGetMigMode", device, &mode, &pending) != 0 || mode != 1) return;
  library.tell("partitioned", 1);
  if (library.call("nvmlDeviceGetMaxMigDeviceCount", device, &most) != 0) return;
  for (unsigned i = 0; i < most && i < most_devices; ++i) {
    Device instance = nullptr;
    if (library.call("nvmlDeviceGetMigDeviceHandleByIndex", device, i, &instance) == 0) {
      tell_device(library, instance, "instance");
    }
  }
}

void tell_gpu(const LoadedLibrary& library, unsigned index) {
  Device device = nullptr;
  const int status = library.call("nvmlDeviceGetHandleByIndex_v2", index, &device);
  if (status != 0) {
    library.tell("lost", status);
    return;
  }
  tell_device(library, device, "gpu");
  PciInfo pci;
  if (library.call("nvmlDeviceGetPciInfo_v3", device, &pci) == 0) {
    pci.bus_id.back() = '\0';
    library.tell("bus", pci.bus_id.data());
  }
  int mode = 0;
  if (library.call("nvmlDeviceGetComputeMode", device, &mode) == 0) {
    if (mode == mode_prohibited) library.tell("mode", "prohibited");
    if (mode == mode_exclusive_process) library.tell("mode", "exclusive");
  }
  FabricInfo fabric;
  if (library.call("nvmlDeviceGetGpuFabricInfo", device, &fabric) == 0 &&
      (fabric.state == fabric_not_started || fabric.state == fabric_in_progress)) {
    library.tell("fabric", "waits");
  }
  tell_instances(library, device);
}

// In the child.
void ask(const sys::ChildReport& report) {
  const LoadedLibrary library(nvml_names, report);
  if (!library.loaded()) return;
  if (!library.has("nvmlInit_v2")) {
    library.tell("unusable", "it has no nvmlInit_v2");
    return;
  }
  const int status = library.call("nvmlInit_v2");
  library.tell("status", status);
  if (status != 0) return;
  std::array<char, 96> version{};
  if (library.call("nvmlSystemGetDriverVersion", version.data(), 95u) == 0) {
    library.tell("driver", version.data());
  }
  int cuda = 0;
  if (library.call("nvmlSystemGetCudaDriverVersion_v2", &cuda) == 0) library.tell("version", cuda);
  unsigned count = 0;
  if (library.call("nvmlDeviceGetCount_v2", &count) != 0) return;
  for (unsigned i = 0; i < count && i < most_devices; ++i) tell_gpu(library, i);
}

}  // namespace

NvmlProbe probe_nvml(const Interrupt& interrupt, std::chrono::milliseconds limit) {
  return read_nvml_report(sys::run_in_child(ask, {limit, 1 << 18}, interrupt));
}

}  // namespace cudaenv::gpu
