#include <fmt/format.h>

#include "gpu/levels.hpp"
#include "gpu/library.hpp"

namespace cudaenv::gpu {
namespace {

using Status = int;  // nvmlReturn_t
constexpr Status not_supported = 3;

// The part of NVML that tells memory errors. Names and numbers are those of nvml.h.
struct Nvml {
  Status (*init)();
  Status (*by_uuid)(const char* uuid, Handle* device);
  Status (*ecc_errors)(Handle device, int kind, int counter, unsigned long long* count);
  Status (*remapped_rows)(Handle device, unsigned* corrected, unsigned* uncorrected,
                          unsigned* pending, unsigned* failed);
};

Nvml load_nvml() {
  const auto library = Library::nvml();
  Nvml api{};
  library.find(api.init, "nvmlInit_v2");
  library.find(api.by_uuid, "nvmlDeviceGetHandleByUUID");
  library.find(api.ecc_errors, "nvmlDeviceGetTotalEccErrors");
  // Since R450.
  library.find_if_present(api.remapped_rows, "nvmlDeviceGetRemappedRows");
  return api;
}

unsigned long long ecc_errors(const Nvml& api, Handle device, bool corrected) {
  constexpr int since_the_driver = 0;  // NVML_VOLATILE_ECC
  unsigned long long count = 0;
  const Status status = api.ecc_errors(device, corrected ? 0 : 1, since_the_driver, &count);
  if (status == not_supported) throw CheckSkipped("the GPU does not count memory errors");
  if (status != 0) {
    throw CheckSkipped(fmt::format("NVML does not tell memory errors (status {})", status));
  }
  return count;
}

// A row that cannot be replaced any more.
bool has_bad_row(const Nvml& api, Handle device) {
  unsigned corrected = 0;
  unsigned uncorrected = 0;
  unsigned pending = 0;
  unsigned failed = 0;
  return api.remapped_rows &&
         api.remapped_rows(device, &corrected, &uncorrected, &pending, &failed) == 0 && failed != 0;
}

}  // namespace

void health_check(Checks& checks, const std::string& uuid) {
  checks.run("health", [&] {
    const auto api = load_nvml();
    Handle device = nullptr;
    if (api.init() != 0 || api.by_uuid(uuid.c_str(), &device) != 0) {
      throw CheckSkipped("NVML does not know the GPU");
    }
    const auto uncorrected = ecc_errors(api, device, false);
    if (uncorrected > 0) {
      throw CheckFailed({Layer::hardware, 0, "",
                         fmt::format("{} memory errors that ECC could not correct", uncorrected)});
    }
    if (has_bad_row(api, device)) {
      throw CheckFailed({Layer::hardware, 0, "", "a row of memory could not be replaced"});
    }
    return fmt::format("no uncorrected memory errors, {} corrected", ecc_errors(api, device, true));
  });
}

}  // namespace cudaenv::gpu
