#include "commands/gpu_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/driver_report.hpp"

namespace cudaenv::commands {
namespace {

bool means(const std::string& typed, const GpuFacts& gpu, std::size_t number) {
  if (const auto typed_number = text::parse_unsigned(typed)) return *typed_number == number;
  // As CUDA_VISIBLE_DEVICES: the beginning of a UUID will do.
  return typed.size() > 4 && gpu.uuid.starts_with(typed);
}

// Why there is nothing to test; empty where there is something, be it broken.
std::string nothing_to_test(const gpu::DriverReport& report, const Host& host) {
  const bool gpu_there = !report.kernel.pci.empty() || !report.kernel_gpus.empty();
  switch (report.facts.state) {
    case DriverState::absent:
    case DriverState::no_module:
      return gpu_there ? "" : "there is no NVIDIA GPU with a driver here";
    case DriverState::no_device:
      break;
    default:
      return "";
  }
  if (const auto hidden = host.environment.get("CUDA_VISIBLE_DEVICES")) {
    return fmt::format("CUDA_VISIBLE_DEVICES is `{}` and hides every GPU",
                       text::visible(*hidden, 60));
  }
  return gpu_there ? "" : "the driver sees no GPU";
}

// What CUDA sees, in its order. Of a partitioned GPU that is one instance a process, so the others
// come from NVML, unless the user has chosen.
std::vector<GpuFacts> testable(const gpu::DriverReport& report, const Host& host) {
  auto gpus = report.cuda.gpus;
  if (host.environment.get("CUDA_VISIBLE_DEVICES")) return gpus;
  for (const auto& gpu : report.gpus) {
    const bool known = std::any_of(gpus.begin(), gpus.end(),
                                   [&](const GpuFacts& other) { return other.uuid == gpu.uuid; });
    if (gpu.mig && !known && !gpu.uuid.empty()) gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace

VisibleGpus visible_gpus(const Host& host, std::chrono::milliseconds limit) {
  const auto report = gpu::driver_report(sys::Tree(), host.environment, host.interrupt, limit);
  VisibleGpus seen;
  seen.nothing = nothing_to_test(report, host);
  if (seen.nothing.empty() && report.cuda.works()) seen.gpus = testable(report, host);
  return seen;
}

std::vector<int> chosen_gpus(const std::vector<GpuFacts>& visible,
                             const std::vector<std::string>& typed) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < visible.size(); ++i) {
    const bool wanted =
        typed.empty() || std::any_of(typed.begin(), typed.end(), [&](const std::string& name) {
          return means(name, visible[i], i);
        });
    if (wanted) numbers.push_back(static_cast<int>(i));
  }
  for (const auto& name : typed) {
    bool found = false;
    for (std::size_t i = 0; i < visible.size(); ++i) found = found || means(name, visible[i], i);
    if (found) continue;
    throw Error(ErrorKind::usage, fmt::format("there is no GPU `{}`", text::visible(name, 60)))
        .because(fmt::format("{} to see: numbers from 0, or UUIDs such as {}",
                             text::counted(visible.size(), "GPU"), visible.front().uuid));
  }
  return numbers;
}

}  // namespace cudaenv::commands
