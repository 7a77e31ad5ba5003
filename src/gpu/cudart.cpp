#include "gpu/cudart.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "gpu/checks.hpp"

namespace cudaenv::gpu {

Cudart Cudart::load(const std::filesystem::path& file) {
  const auto library = Library::open(file);
  Cudart api{};
  library.find(api.runtime_version, "cudaRuntimeGetVersion");
  library.find(api.device_count, "cudaGetDeviceCount");
  library.find(api.set_device, "cudaSetDevice");
  library.find(api.allocate, "cudaMalloc");
  library.find(api.release, "cudaFree");
  library.find(api.copy, "cudaMemcpy");
  library.find(api.set_bytes, "cudaMemset");
  library.find(api.synchronize, "cudaDeviceSynchronize");
  library.find(api.error_name, "cudaGetErrorName");
  library.find(api.error_string, "cudaGetErrorString");
  return api;
}

void Cudart::check(Result result, std::string_view doing) const {
  if (result == 0) return;
  throw CheckFailed({layer_of_cuda_error(result), result, text::visible(error_name(result), 100),
                     fmt::format("{}: {}", doing, text::visible(error_string(result), 200))});
}

std::string version_text(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

}  // namespace cudaenv::gpu
