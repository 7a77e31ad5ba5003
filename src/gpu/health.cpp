#include <fmt/format.h>

#include "gpu/levels.hpp"
#include "gpu/nvml_device.hpp"

namespace cudaenv::gpu {
namespace {

using Status = int;  // nvmlReturn_t
constexpr Status not_supported = 3;

// The part of NVML that tells memory errors. Names and numbers are those of nvml.h.
struct Nvml {
  Status (*ecc_errors)(Handle device, int kind, int counter, unsigned long long* count);
  Status (*remapped_rows)(Handle device, unsigned* corrected, unsigned* uncorrected,
                          unsigned* pending, unsigned* failed);
};

Nvml load_nvml(const Library& library) {
  Nvml api{};
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
    const auto [library, device] = nvml::open_device(uuid);
    const auto api = load_nvml(library);
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
