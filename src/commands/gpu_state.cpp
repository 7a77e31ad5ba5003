#include "commands/gpu_state.hpp"

#include <fmt/format.h>

#include "commands/wait.hpp"

namespace cudaenv::commands {
namespace {

using End = gpu::LibraryProbe::End;
// nvmlReturn_t.
constexpr int nvml_driver_not_loaded = 9;
constexpr int nvml_gpu_not_found = 28;
constexpr const char* ask_doctor = "see what is wrong with `cudaenv doctor`";

GpuTrouble of_status(int status) {
  if (status == nvml_driver_not_loaded) {
    return {true, "the NVIDIA driver is installed, but its kernel module is not loaded", ""};
  }
  if (status == gpu::nvml_mismatch) {
    return {false, "the loaded kernel module is of another version than the driver's libraries",
            "restart the machine, or reload the module `nvidia`"};
  }
  if (status == nvml_gpu_not_found) return {true, "no NVIDIA GPU is here", ""};
  return {false, fmt::format("the driver does not answer: {}", nvml_words(status)), ask_doctor};
}

}  // namespace

std::chrono::milliseconds driver_timeout(const Host& host) {
  return std::chrono::seconds(number_variable(host, "CUDAENV_DRIVER_TIMEOUT", 20, 3600));
}

std::optional<GpuTrouble> trouble_of(const gpu::Readings& readings) {
  switch (readings.end) {
    case End::not_found:
    case End::not_asked:
      return GpuTrouble{true, "no NVIDIA driver is here: libnvidia-ml.so.1 was not found", ""};
    case End::unusable:
      return GpuTrouble{
          false, fmt::format("the driver's libnvidia-ml.so.1 is of no use: {}", readings.detail),
          "install the driver again"};
    case End::crashed:
      return GpuTrouble{
          false,
          readings.signal == 0
              ? fmt::format("the driver ended its process in {}", readings.call)
              : fmt::format("the driver crashed in {} (signal {})", readings.call, readings.signal),
          ask_doctor};
    case End::hung:
      return GpuTrouble{false, fmt::format("the driver did not come back from {}", readings.call),
                        ask_doctor};
    case End::answered:
      break;
  }
  if (readings.status.value_or(0) != 0) return of_status(*readings.status);
  if (readings.gpus.empty()) return GpuTrouble{true, "no NVIDIA GPU is here", ""};
  return std::nullopt;
}

std::string nvml_words(int status) {
  switch (status) {
    case 4:
      return "this user may not ask it (NVML 4)";
    case 15:
      return "it has fallen off the bus (NVML 15)";
    case 16:
      return "it must be reset (NVML 16)";
    case 17:
      return "the operating system blocks it (NVML 17)";
    case 999:
      return "the driver has an unknown error (NVML 999)";
    default:
      return fmt::format("NVML status {}", status);
  }
}

}  // namespace cudaenv::commands
