// A libcuda.so.1 that does what FAKE_CUDA says. Without it: one H200 and a driver of CUDA 13.0.
#include <cstddef>
#include <cstdio>

#include "behaviour.hpp"

namespace {

constexpr const char* variable = "FAKE_CUDA";

int number(const char* key, int otherwise) { return fake::number(variable, key, otherwise); }
bool lies() { return number("lie", 0) != 0; }

}  // namespace

extern "C" {

int cuDriverGetVersion(int* version) {
  fake::enter(variable, "cuDriverGetVersion");
  *version = number("version", 13000);
  return number("version_status", 0);
}

int cuInit(unsigned) {
  fake::enter(variable, "cuInit");
  return number("init", 0);
}

int cuDeviceGetCount(int* count) {
  fake::enter(variable, "cuDeviceGetCount");
  *count = lies() ? 0x7fffffff : number("devices", 1);
  return 0;
}

int cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}

int cuDeviceGetName(char* name, int size, int) {
  fake::enter(variable, "cuDeviceGetName");
  const std::string given = fake::setting(variable, "name");
  fake::put(name, static_cast<std::size_t>(size), given.empty() ? "NVIDIA H200" : given, lies());
  return 0;
}

int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  for (int i = 0; i < 16; ++i) uuid[i] = static_cast<unsigned char>(0x10 + device);
  return 0;
}

int cuDeviceGetPCIBusId(char* bus, int size, int device) {
  fake::put(bus, static_cast<std::size_t>(size), "0000:1" + std::to_string(device) + ":00.0",
            lies());
  return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  fake::enter(variable, "cuDeviceGetAttribute");
  *value = lies() ? -7 : attribute == 75 ? number("major", 9) : number("minor", 0);
  return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = lies() ? ~std::size_t{0} : std::size_t{141} << 30;
  return 0;
}

}  // extern "C"
