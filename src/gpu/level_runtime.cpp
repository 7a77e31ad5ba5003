#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "gpu/cudart.hpp"
#include "gpu/kernel_checks.hpp"
#include "gpu/levels.hpp"
#include "gpu/nvrtc.hpp"

namespace cudaenv::gpu {
namespace {

constexpr int to_device = 1;  // cudaMemcpyHostToDevice
constexpr int to_host = 2;

// What the toolkit's runtime does with memory comes back as it was, also where it was only moved.
std::string use_cudart(const std::filesystem::path& file) {
  const auto api = Cudart::load(file);
  int version = 0;
  api.check(api.runtime_version(&version), "cudaRuntimeGetVersion");
  int count = 0;
  api.check(api.device_count(&count), "cudaGetDeviceCount");
  api.check(api.set_device(0), "cudaSetDevice");

  std::vector<std::uint32_t> numbers(1 << 20);
  std::iota(numbers.begin(), numbers.end(), 1u);
  const std::size_t bytes = numbers.size() * sizeof numbers[0];
  void* memory = nullptr;
  api.check(api.allocate(&memory, bytes), "cudaMalloc");
  api.check(api.copy(memory, numbers.data(), bytes, to_device), "cudaMemcpy to the GPU");
  api.check(api.set_bytes(memory, 0x5a, bytes / 2), "cudaMemset");
  std::vector<std::uint32_t> got(numbers.size());
  api.check(api.copy(got.data(), memory, bytes, to_host), "cudaMemcpy from the GPU");
  api.check(api.synchronize(), "cudaDeviceSynchronize");
  api.check(api.release(memory), "cudaFree");
  std::fill_n(numbers.begin(), numbers.size() / 2, 0x5a5a5a5au);
  compare("cudaMemcpy", numbers, got);
  return fmt::format("{}, CUDA {}", file.filename().string(), version_text(version));
}

std::filesystem::path existing(const LevelRequest& request, const char* name) {
  auto file = find_library(request.toolkit, name);
  if (file.empty()) throw CheckSkipped(fmt::format("the toolkit has no lib{}", name));
  return file;
}

// Machine code and PTX are told apart: a driver that is older than the toolkit runs the one and
// refuses the other.
class Kernels {
 public:
  Kernels(Checks& checks, const Device& device, const Nvrtc& nvrtc)
      : checks_(checks), device_(device), nvrtc_(nvrtc), gpu_(device.capability()) {}

  void run(bool machine) {
    const std::string label = machine ? "sass/" : "ptx/";
    std::unique_ptr<Module> module;
    std::optional<int> chip;
    checks_.run(label + "load", [&] {
      chip = chip_for(machine);
      module = load("basic.cu", *chip, machine, false);
      return fmt::format("compiled for {}{}", machine ? "sm_" : "compute_", *chip);
    });
    if (!module) return;
    check_basic_kernels(checks_, device_, *module, label);
    for (const auto type : {TensorType::half, TensorType::bfloat16}) {
      checks_.run(fmt::format("{}tensor_{}", label, name_of(type)), [&] {
        const auto first = first_with(type);
        if (*chip < static_cast<int>(first.major * 10 + first.minor)) {
          throw CheckSkipped(fmt::format("no tensor cores for it below {}", first.sm()));
        }
        const auto tensor = load("tensor.cu", *chip, machine, type == TensorType::bfloat16);
        return check_tensor_kernel(device_, *tensor, type);
      });
    }
  }

 private:
  int chip_for(bool machine) const {
    const auto chip = machine ? nvrtc_.machine_chip(gpu_) : nvrtc_.ptx_chip(gpu_);
    if (chip) return *chip;
    const auto& chips = nvrtc_.chips();
    const std::string what = fmt::format("NVRTC {} compiles for sm_{} to sm_{}, and the GPU is {}",
                                         nvrtc_.version(), chips.front(), chips.back(), gpu_.sm());
    // A newer chip still runs what the driver makes of PTX.
    if (machine && nvrtc_.ptx_chip(gpu_)) throw CheckSkipped(what);
    throw CheckFailed({Layer::no_image, 0, "", what});
  }

  std::unique_ptr<Module> load(const char* source, int chip, bool machine, bool bfloat16) const {
    const auto text = kernel_text(source);
    return std::make_unique<Module>(
        device_,
        machine ? nvrtc_.machine_code(text, chip, bfloat16) : nvrtc_.ptx(text, chip, bfloat16),
        machine ? "NVRTC's machine code" : "NVRTC's PTX");
  }

  Checks& checks_;
  const Device& device_;
  const Nvrtc& nvrtc_;
  ComputeCapability gpu_;
};

}  // namespace

void runtime_level(Checks& checks, const LevelRequest& request) {
  checks.run("cudart", [&] { return use_cudart(existing(request, "cudart")); });
  std::unique_ptr<Nvrtc> nvrtc;
  checks.run("nvrtc", [&] {
    existing(request, "nvrtc");
    nvrtc = std::make_unique<Nvrtc>(request.toolkit);
    return fmt::format("CUDA {}, sm_{} to sm_{}", nvrtc->version(), nvrtc->chips().front(),
                       nvrtc->chips().back());
  });
  if (!nvrtc) return;
  const auto device = open_device(checks, request.uuid);
  if (!device) return;
  Kernels kernels(checks, *device, *nvrtc);
  kernels.run(true);
  kernels.run(false);
}

}  // namespace cudaenv::gpu
