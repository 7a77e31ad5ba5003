#include <optional>

#include <fmt/format.h>

#include "gpu/cudart.hpp"
#include "gpu/kernel_checks.hpp"
#include "gpu/levels.hpp"

namespace cudaenv::gpu {
namespace {

std::string hang(const Device& device) {
  const Module module(device, kernel_text("basic.ptx"), "basic.ptx");
  const Memory flag(device, sizeof(std::uint32_t));
  flag.fill(0);
  module.launch("wait_for_flag", {1, 1}, flag.address());
  device.synchronize("waiting for a kernel that does not end");
  return "";
}

}  // namespace

std::unique_ptr<Device> open_device(Checks& checks, const std::string& uuid,
                                    const std::string& label, std::size_t asked) {
  std::optional<DriverApi> api;
  std::unique_ptr<Device> device;
  checks.run(label + "driver", [&] {
    auto started = start_driver();
    int version = 0;
    started.check(started.driver_version(&version), "asking for the driver's CUDA version");
    api = started;
    return fmt::format("CUDA {}", version_text(version));
  });
  if (!api) return nullptr;
  checks.run(label + "context", [&] {
    device = std::make_unique<Device>(*api, ordinal_of(*api, uuid, asked), checks.plant());
    return fmt::format("{}, {}", device->name(), device->capability().sm());
  });
  if (device) plant_hang(checks, *device, label);
  return device;
}

void plant_hang(Checks& checks, const Device& device, const std::string& label) {
  if (checks.plant() != Plant::hang) return;
  checks.run(label + "planted_hang", [&] { return hang(device); });
}

}  // namespace cudaenv::gpu
