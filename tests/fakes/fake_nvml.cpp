// A libnvidia-ml.so.1 that does what FAKE_NVML says. Without it: one H200 and driver 580.95.05.
#include <cstddef>
#include <cstring>

#include "behaviour.hpp"

namespace {

constexpr const char* variable = "FAKE_NVML";

int number(const char* key, int otherwise) { return fake::number(variable, key, otherwise); }
bool lies() { return number("lie", 0) != 0; }

// GPUs are numbered from 1, their instances from 1000.
void* handle(std::size_t value) { return reinterpret_cast<void*>(value); }
std::size_t value_of(void* device) { return reinterpret_cast<std::size_t>(device); }

struct Memory {
  unsigned long long total, free, used;
};
struct Pci {
  char old_bus[16];
  unsigned numbers[5];
  char bus[32];
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  fake::enter(variable, "nvmlInit_v2");
  return number("init", 0);
}

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  const std::string given = fake::setting(variable, "driver");
  fake::put(text, size, given.empty() ? "580.95.05" : given, lies());
  return 0;
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = lies() ? -1 : number("version", 13000);
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  fake::enter(variable, "nvmlDeviceGetCount_v2");
  *count = lies() ? 0xffffffffu : static_cast<unsigned>(number("devices", 1));
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (number("lost", -1) == static_cast<int>(index)) return number("lost_status", 15);
  *device = handle(index + 1);
  return 0;
}

int nvmlDeviceGetName(void* device, char* text, unsigned size) {
  fake::enter(variable, "nvmlDeviceGetName");
  fake::put(text, size, value_of(device) >= 1000 ? "NVIDIA H200 MIG 1g.18gb" : "NVIDIA H200",
            lies());
  return 0;
}

int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  const std::size_t number = value_of(device);
  std::string uuid = "GPU-10101010-1010-1010-1010-101010101010";
  if (number >= 1000) uuid = "MIG-00000000-0000-0000-0000-00000000" + std::to_string(number);
  if (number > 1 && number < 1000) uuid = "GPU-11111111-1111-1111-1111-111111111111";
  fake::put(text, size, uuid, lies());
  return 0;
}

int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  memory->total = lies() ? 3 : 141ull << 30;
  memory->used = lies() ? 1ull << 60 : static_cast<unsigned long long>(number("used", 1)) << 30;
  memory->free = memory->total - memory->used;
  return 0;
}

int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  if (value_of(device) >= 1000) return 3;  // not supported for instances
  *major = lies() ? 70000 : 9;
  *minor = 0;
  return 0;
}

int nvmlDeviceGetPciInfo_v3(void* device, Pci* pci) {
  const std::string bus = "00000000:1" + std::to_string(value_of(device) - 1) + ":00.0";
  fake::put(pci->bus, sizeof pci->bus, bus, lies());
  return 0;
}

int nvmlDeviceGetComputeMode(void*, int* mode) {
  *mode = number("mode", 0);
  return 0;
}

int nvmlDeviceGetGpuFabricInfo(void*, void* info) {
  std::memset(info, 0, 16);
  static_cast<unsigned char*>(info)[24] = static_cast<unsigned char>(number("fabric", 0));
  return 0;
}

int nvmlDeviceGetMigMode(void*, unsigned* mode, unsigned* pending) {
  *mode = *pending = number("instances", -1) >= 0 ? 1 : 0;
  return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* count) {
  *count = lies() ? 0xffffffffu : 7;
  return 0;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned index, void** device) {
  if (static_cast<int>(index) >= number("instances", 0)) return 6;  // not found
  *device = handle(1000 + index);
  return 0;
}

}  // extern "C"
