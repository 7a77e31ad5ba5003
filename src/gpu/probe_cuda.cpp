#include <array>

#include <fmt/format.h>

#include "gpu/library_probe.hpp"
#include "gpu/loaded_library.hpp"

namespace cudaenv::gpu {
namespace {

// CUdevice_attribute, of every libcuda since 2009.
constexpr int capability_major = 75;
constexpr int capability_minor = 76;
constexpr int most_devices = 128;

struct Uuid {
  std::array<unsigned char, 16> bytes{};

  std::string text() const {
    std::string result;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i == 4 || i == 6 || i == 8 || i == 10) result += '-';
      result += fmt::format("{:02x}", static_cast<unsigned>(bytes[i]));
    }
    return result;
  }
};

void tell_device(const LoadedLibrary& library, int index) {
  int device = 0;
  if (library.call("cuDeviceGet", &device, index) != 0) return;
  library.tell("device", index);
  std::array<char, 128> name{};
  if (library.call("cuDeviceGetName", name.data(), 127, device) == 0) {
    library.tell("name", name.data());
  }
  Uuid uuid;
  // The older function gives an instance of a partitioned GPU the number of the whole.
  const char* ask = library.has("cuDeviceGetUuid_v2") ? "cuDeviceGetUuid_v2" : "cuDeviceGetUuid";
  if (library.call(ask, &uuid, device) == 0) library.tell("uuid", uuid.text());
  std::array<char, 32> bus{};
  if (library.call("cuDeviceGetPCIBusId", bus.data(), 31, device) == 0) {
    library.tell("bus", bus.data());
  }
  int major = 0;
  int minor = 0;
  if (library.call("cuDeviceGetAttribute", &major, capability_major, device) == 0 &&
      library.call("cuDeviceGetAttribute", &minor, capability_minor, device) == 0) {
    library.tell("capability", fmt::format("{}.{}", major, minor));
  }
  std::size_t bytes = 0;
  if (library.call("cuDeviceTotalMem_v2", &bytes, device) == 0) {
    library.tell("memory", static_cast<long long>(bytes));
  }
}

// In the child.
void ask(const sys::ChildReport& report) {
  const LoadedLibrary library(libcuda_names, report);
  if (!library.loaded()) return;
  if (!library.has("cuInit") || !library.has("cuDriverGetVersion")) {
    library.tell("unusable", "it has no cuInit or no cuDriverGetVersion");
    return;
  }
  // Needs no GPU and no cuInit.
  int version = 0;
  if (library.call("cuDriverGetVersion", &version) == 0) library.tell("version", version);
  const int status = library.call("cuInit", 0u);
  library.tell("status", status);
  if (status != 0) return;
  int count = 0;
  if (library.call("cuDeviceGetCount", &count) != 0) return;
  for (int i = 0; i < count && i < most_devices; ++i) tell_device(library, i);
}

}  // namespace

CudaProbe probe_cuda(const Interrupt& interrupt, std::chrono::milliseconds limit) {
  return read_cuda_report(sys::run_in_child(ask, {limit, 1 << 18}, interrupt));
}

}  // namespace cudaenv::gpu
