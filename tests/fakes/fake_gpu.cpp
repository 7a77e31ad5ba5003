// A libcuda whose GPUs are this machine's memory and processor. It knows the self-test's kernels by
// name and runs them as their sources say. FAKE_GPU names what is broken about it, FAKE_GPU_COUNT
// says how many there are (1), FAKE_GPU_NAME how they are called.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Of which the memory test leaves 256 MiB alone.
std::size_t total_memory() {
  const char* free_megabytes = std::getenv("FAKE_GPU_MEMORY");
  return static_cast<std::size_t>(free_megabytes ? std::atoi(free_megabytes) : 256 + 32) << 20;
}

bool is(const char* fault) {
  const char* set = std::getenv("FAKE_GPU");
  return set && std::string(set) == fault;
}

struct Launch {
  unsigned blocks;
  unsigned threads;
  void** arguments;

  template <typename T>
  T argument(int index) const {
    T value;
    std::memcpy(&value, arguments[index], sizeof value);
    return value;
  }
  template <typename T>
  T* memory(int index) const {
    return reinterpret_cast<T*>(argument<u64>(index));
  }
};

void vector_add(const Launch& launch) {
  const auto count = launch.argument<u64>(3);
  const float* a = launch.memory<float>(0);
  const float* b = launch.memory<float>(1);
  float* sum = launch.memory<float>(2);
  for (u64 i = 0; i < count; ++i) sum[i] = a[i] + b[i];
}

void block_sums(const Launch& launch) {
  const auto count = launch.argument<u64>(2);
  const u32* values = launch.memory<u32>(0);
  u64* sums = launch.memory<u64>(1);
  std::fill_n(sums, launch.blocks, u64{0});
  for (u64 i = 0; i < count; ++i) sums[i / launch.threads % launch.blocks] += values[i];
}

void histogram(const Launch& launch) {
  const auto count = launch.argument<u64>(2);
  const u32* values = launch.memory<u32>(0);
  u32* bins = launch.memory<u32>(1);
  for (u64 i = 0; i < count; ++i) {
    const u32 value = values[i];
    ++bins[value % 64];
    bins[64] = std::max(bins[64], value);
  }
}

void warp_scan(const Launch& launch) {
  const auto count = launch.argument<u64>(2);
  const u32* values = launch.memory<u32>(0);
  u32* sums = launch.memory<u32>(1);
  u32 sum = 0;
  for (u64 i = 0; i < count; ++i) {
    sum = i % 32 == 0 ? 0 : sum;
    sums[i] = sum += values[i];
  }
}

void double_fma(const Launch& launch) {
  const auto count = launch.argument<u64>(3);
  const double* a = launch.memory<double>(0);
  const double* b = launch.memory<double>(1);
  double* c = launch.memory<double>(2);
  for (u64 i = 0; i < count; ++i) c[i] = std::fma(a[i], b[i], c[i]);
}

void wait_for_flag(const Launch&) { ::sleep(600); }

u64 pattern(u32 kind, u64 parameter, u64 word) {
  if (kind == 0) return parameter;
  if (kind == 1) return u64{1} << ((word + parameter) & 63);
  if (kind == 2) return ~(u64{1} << ((word + parameter) & 63));
  if (kind == 3) return word ^ parameter;
  u64 mixed = (word + parameter) * 0x9e3779b97f4a7c15u;
  mixed ^= mixed >> 32;
  return mixed * 0xd6e8feb86659fd93u;
}

void fill(const Launch& launch) {
  const auto words = 2 * launch.argument<u64>(1);
  const auto first = launch.argument<u64>(2);
  const auto kind = launch.argument<u32>(3);
  const auto parameter = launch.argument<u64>(4);
  u64* memory = launch.memory<u64>(0);
  for (u64 i = 0; i < words; ++i) memory[i] = pattern(kind, parameter, first + i);
  // A data line that is stuck.
  if (is("stuck_bit") && words > 5000) memory[5000] |= 1u << 7;
}

void compare(const Launch& launch) {
  const auto words = 2 * launch.argument<u64>(1);
  const auto first = launch.argument<u64>(2);
  const auto kind = launch.argument<u32>(3);
  const auto parameter = launch.argument<u64>(4);
  const u64* memory = launch.memory<u64>(0);
  u64* findings = launch.memory<u64>(5);
  for (u64 i = 0; i < words; ++i) {
    const u64 got = memory[i];
    if (got == pattern(kind, parameter, first + i)) continue;
    if (findings[0]++ == 0) {
      findings[1] = first + i;
      findings[2] = got;
    }
  }
}

float from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10 & 31) - 15;
  const float value =
      bits == 0 ? 0.0f : std::ldexp(1.0f + static_cast<float>(bits & 1023) / 1024.0f, exponent);
  return bits & 0x8000 ? -value : value;
}

float from_bfloat16(std::uint16_t bits) {
  const u32 wide = static_cast<u32>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

void tensor(const Launch& launch, float (*value)(std::uint16_t)) {
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      float sum = 0;
      for (int i = 0; i < 16; ++i) {
        sum += value(launch.memory<std::uint16_t>(0)[row * 16 + i]) *
               value(launch.memory<std::uint16_t>(1)[column * 16 + i]);
      }
      launch.memory<float>(2)[row * 16 + column] = sum;
    }
  }
}

void tensor_half(const Launch& launch) { tensor(launch, from_half); }
void tensor_bfloat16(const Launch& launch) { tensor(launch, from_bfloat16); }

using Kernel = void (*)(const Launch&);
const std::map<std::string, Kernel> kernels{
    {"vector_add", vector_add},
    {"block_sums", block_sums},
    {"histogram", histogram},
    {"warp_scan", warp_scan},
    {"double_fma", double_fma},
    {"wait_for_flag", wait_for_flag},
    {"fill", fill},
    {"compare", compare},
    {"tensor_half", tensor_half},
    {"tensor_bfloat16", tensor_bfloat16},
};

std::map<u64, std::size_t> allocated;

std::size_t free_bytes() {
  std::size_t used = 0;
  for (const auto& [address, bytes] : allocated) used += bytes;
  return total_memory() - std::min(used, total_memory());
}

const std::map<int, const char*> error_names{
    {2, "CUDA_ERROR_OUT_OF_MEMORY"},       {100, "CUDA_ERROR_NO_DEVICE"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"}, {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
    {218, "CUDA_ERROR_INVALID_PTX"},       {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},   {802, "CUDA_ERROR_SYSTEM_NOT_READY"},
    {999, "CUDA_ERROR_UNKNOWN"},
};

}  // namespace

extern "C" {

int cuInit(unsigned) {
  if (is("init_999")) return 999;
  if (is("init_802")) return 802;
  if (is("init_hangs")) ::sleep(600);
  if (is("init_crashes")) std::abort();
  return is("no_device") ? 100 : 0;
}

// NVRTC asks a libcuda that it finds loaded.
int cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return 500;
}

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

int cuGetErrorName(int code, const char** name) {
  const auto found = error_names.find(code);
  *name = found == error_names.end() ? nullptr : found->second;
  return found == error_names.end();
}

int cuGetErrorString(int code, const char** text) {
  static std::string words;
  words = "the words for " + std::to_string(code);
  *text = words.c_str();
  return 0;
}

int cuDeviceGetCount(int* count) {
  const char* set = std::getenv("FAKE_GPU_COUNT");
  *count = set ? std::atoi(set) : 1;
  return 0;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}

int cuDeviceGetName(char* name, int size, int) {
  const char* given = std::getenv("FAKE_GPU_NAME");
  std::snprintf(name, static_cast<std::size_t>(size), "%s", given ? given : "Pretended GPU");
  return 0;
}

int cuDeviceGetUuid_v2(unsigned char* bytes, int device) {
  std::memset(bytes, 0x11 * (device + 1), 16);
  return 0;
}

int cuDeviceGetPCIBusId(char* id, int size, int device) {
  std::snprintf(id, static_cast<std::size_t>(size), "0000:%02x:00.0", device + 1);
  return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = total_memory();
  return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  const char* chip = std::getenv("FAKE_GPU_CHIP");
  const int number = chip ? std::atoi(chip) : 90;
  switch (attribute) {
    case 13:  // the multiprocessors' clock, kHz
      *value = 1980000;
      break;
    case 36:  // the memory's
      *value = 3201000;
      break;
    case 37:  // its width, bits
      *value = 6144;
      break;
    case 75:
      *value = number / 10;
      break;
    case 76:
      *value = number % 10;
      break;
    default:
      *value = 4;
  }
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  static int contexts[16];
  *context = &contexts[device];
  return is("busy") ? 46 : 0;
}

int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(void*) { return 0; }
int cuCtxSynchronize() { return is("ecc") ? 214 : is("illegal_address") ? 700 : 0; }

int cuStreamCreate(void** stream, unsigned) {
  *stream = nullptr;
  return 0;
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned options, int* keys,
                       void** values) {
  const bool ptx = std::memcmp(image,
                               "\x7f"
                               "ELF",
                               4) != 0;
  *module = nullptr;
  if (ptx && is("jit_refused")) {
    for (unsigned i = 0; i < options; ++i) {
      if (keys[i] == 5) std::strcpy(static_cast<char*>(values[i]), "ptxas fatal: no such thing\n");
    }
    return 218;
  }
  // What a toolkit newer than the driver makes of itself.
  if (ptx && is("driver_older") &&
      std::strstr(static_cast<const char*>(image), ".version 7.0") == nullptr) {
    return 222;
  }
  return !ptx && is("no_image") ? 209 : 0;
}

int cuModuleUnload(void*) { return 0; }

int cuModuleGetFunction(void** function, void*, const char* name) {
  const auto found = kernels.find(name);
  if (found == kernels.end()) return 500;
  *function = const_cast<std::string*>(&found->first);
  return 0;
}

int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned,
                   unsigned, unsigned, void*, void** arguments, void**) {
  kernels.at (*static_cast<std::string*>(function))({blocks, threads, arguments});
  return 0;
}

int cuMemAlloc_v2(u64* memory, std::size_t bytes) {
  if (bytes > free_bytes()) return 2;
  *memory = reinterpret_cast<u64>(std::calloc(1, bytes + 16));
  allocated[*memory] = bytes;
  return 0;
}

int cuMemFree_v2(u64 memory) {
  allocated.erase(memory);
  std::free(reinterpret_cast<void*>(memory));
  return 0;
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = free_bytes();
  *total = total_memory();
  return 0;
}

int cuMemcpyHtoD_v2(u64 to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}

int cuMemcpyDtoH_v2(void* to, u64 from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}

int cuMemsetD8_v2(u64 memory, unsigned char value, std::size_t count) {
  std::memset(reinterpret_cast<void*>(memory), value, count);
  return 0;
}

int cuDeviceCanAccessPeer(int* yes, int, int) {
  *yes = !is("no_peers");
  return 0;
}

int cuCtxEnablePeerAccess(void*, unsigned) { return 0; }

int cuMemcpyPeer(u64 to, void*, u64 from, void*, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  if (is("peers_lie")) reinterpret_cast<float*>(to)[77] += 1;
  return 0;
}

int cuMemcpyPeerAsync(u64 to, void*, u64 from, void*, std::size_t bytes, void*) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return 0;
}

}  // extern "C"
