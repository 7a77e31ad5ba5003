#include "gpu/driver_api.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "gpu/checks.hpp"

namespace cudaenv::gpu {

DriverApi DriverApi::load() {
  const Library libcuda = Library::libcuda();
  DriverApi api{};
  libcuda.find(api.init, "cuInit");
  libcuda.find(api.driver_version, "cuDriverGetVersion");
  libcuda.find(api.error_name, "cuGetErrorName");
  libcuda.find(api.error_string, "cuGetErrorString");
  libcuda.find(api.device_count, "cuDeviceGetCount");
  libcuda.find(api.device, "cuDeviceGet");
  libcuda.find(api.device_name, "cuDeviceGetName");
  // Since R470 the first of them tells a MIG instance's own.
  libcuda.find_if_present(api.device_uuid, "cuDeviceGetUuid_v2");
  if (!api.device_uuid) libcuda.find(api.device_uuid, "cuDeviceGetUuid");
  libcuda.find(api.device_memory, "cuDeviceTotalMem_v2");
  libcuda.find(api.device_attribute, "cuDeviceGetAttribute");
  libcuda.find(api.retain_context, "cuDevicePrimaryCtxRetain");
  libcuda.find(api.release_context, "cuDevicePrimaryCtxRelease_v2");
  libcuda.find(api.set_context, "cuCtxSetCurrent");
  libcuda.find(api.synchronize, "cuCtxSynchronize");
  libcuda.find(api.create_stream, "cuStreamCreate");
  libcuda.find(api.load_module, "cuModuleLoadDataEx");
  libcuda.find(api.unload_module, "cuModuleUnload");
  libcuda.find(api.function, "cuModuleGetFunction");
  libcuda.find(api.launch, "cuLaunchKernel");
  libcuda.find(api.allocate, "cuMemAlloc_v2");
  libcuda.find(api.release, "cuMemFree_v2");
  libcuda.find(api.free_memory, "cuMemGetInfo_v2");
  libcuda.find(api.to_device, "cuMemcpyHtoD_v2");
  libcuda.find(api.to_host, "cuMemcpyDtoH_v2");
  libcuda.find(api.set_bytes, "cuMemsetD8_v2");
  libcuda.find(api.can_access_peer, "cuDeviceCanAccessPeer");
  libcuda.find(api.enable_peer, "cuCtxEnablePeerAccess");
  libcuda.find(api.copy_peer, "cuMemcpyPeer");
  return api;
}

Failure DriverApi::failure(Result result, std::string_view doing) const {
  const char* name = nullptr;
  const char* words = nullptr;
  error_name(result, &name);
  error_string(result, &words);
  return {layer_of_cuda_error(result), result,
          name ? text::visible(name, 100) : fmt::format("error {}", result),
          words ? fmt::format("{}: {}", doing, text::visible(words, 200)) : std::string(doing)};
}

void DriverApi::check(Result result, std::string_view doing) const {
  if (result != 0) throw CheckFailed(failure(result, doing));
}

std::string uuid_text(const Uuid& uuid, bool mig) {
  std::string text = mig ? "MIG-" : "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid.bytes[i]);
  }
  return text;
}

}  // namespace cudaenv::gpu
