#include <memory>

#include <fmt/format.h>

#include "gpu/kernel_checks.hpp"
#include "gpu/levels.hpp"

namespace cudaenv::gpu {
namespace {

void tensor_check(Checks& checks, const Device& device, TensorType type) {
  const std::string name = fmt::format("tensor_{}", name_of(type));
  checks.run(name, [&] {
    const auto needed = first_with(type);
    if (device.capability() < needed) {
      throw CheckSkipped(fmt::format("{} has no tensor cores for it", device.capability().sm()));
    }
    const Module module(device, kernel_text(name + ".ptx"), name + ".ptx");
    return check_tensor_kernel(device, module, type);
  });
}

}  // namespace

void driver_level(Checks& checks, const LevelRequest& request) {
  const auto device = open_device(checks, request.uuid);
  if (!device) return;
  std::unique_ptr<Module> module;
  checks.run("jit", [&] {
    module = std::make_unique<Module>(*device, kernel_text("basic.ptx"), "basic.ptx");
    return std::string("PTX 7.0 for sm_50, compiled by the driver");
  });
  if (!module) return;
  check_basic_kernels(checks, *device, *module, "");
  tensor_check(checks, *device, TensorType::half);
  tensor_check(checks, *device, TensorType::bfloat16);
  health_check(checks, request.uuid);
}

}  // namespace cudaenv::gpu
