// The part of the fake NVML that is read again and again: what FAKE_NVML says, by these keys.
//   util, mem, temp, power, limit (W), clock, max, throttle, gen, width, ecc (uncorrected), tx, rx
//   (KB/s), sm, tensor, dram, pids ("12+34", 1 GiB each; on
//   GPU pids_on only, where it is told), na=1: nothing is supported,
//   gone=INDEX: that GPU is lost once it was found, gpm=1: it has counters.
#include <cstddef>
#include <string>

#include "behaviour.hpp"

namespace {

constexpr const char* variable = "FAKE_NVML";
constexpr int not_supported = 3;
constexpr int insufficient_size = 7;
constexpr int lost = 15;

int number(const char* key, int otherwise) { return fake::number(variable, key, otherwise); }

std::size_t value_of(void* device) { return reinterpret_cast<std::size_t>(device); }

// What each function returns where it has no answer; 0 where it has.
int status_of(void* device) {
  if (static_cast<int>(value_of(device)) - 1 == number("gone", -1)) return lost;
  if (number("na", 0) != 0) return not_supported;
  return 0;
}

template <typename Number>
int answer(void* device, const char* function, Number* value, const char* key, int otherwise,
           int scale = 1) {
  fake::enter(variable, function);
  const int status = status_of(device);
  if (status == 0)
    *value = static_cast<Number>(number(key, otherwise)) * static_cast<Number>(scale);
  return status;
}

struct Utilization {
  unsigned gpu, memory;
};
struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
struct Metric {
  unsigned id;
  int status;
  double value;
  const char* texts[3];
};
struct Metrics {
  unsigned version, count;
  void *before, *now;
  Metric metrics[98];
};
struct Support {
  unsigned version, supported;
};

}  // namespace

extern "C" {

int nvmlDeviceGetUtilizationRates(void* device, Utilization* utilization) {
  const int status = answer(device, "nvmlDeviceGetUtilizationRates", &utilization->gpu, "util", 97);
  utilization->memory = static_cast<unsigned>(number("mem", 40));
  return status;
}

int nvmlDeviceGetTemperature(void* device, int, unsigned* value) {
  return answer(device, "nvmlDeviceGetTemperature", value, "temp", 61);
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* value) {
  return answer(device, "nvmlDeviceGetPowerUsage", value, "power", 650, 1000);
}

int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* value) {
  return answer(device, "nvmlDeviceGetEnforcedPowerLimit", value, "limit", 700, 1000);
}

int nvmlDeviceGetClockInfo(void* device, int type, unsigned* value) {
  return answer(device, "nvmlDeviceGetClockInfo", value, type == 1 ? "clock" : "memory_clock",
                type == 1 ? 1830 : 3201);
}

int nvmlDeviceGetMaxClockInfo(void* device, int type, unsigned* value) {
  return answer(device, "nvmlDeviceGetMaxClockInfo", value, type == 1 ? "max" : "memory_max",
                type == 1 ? 1980 : 3201);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* value) {
  return answer(device, "nvmlDeviceGetCurrentClocksThrottleReasons", value, "throttle", 4);
}

int nvmlDeviceGetCurrPcieLinkGeneration(void* device, unsigned* value) {
  return answer(device, "nvmlDeviceGetCurrPcieLinkGeneration", value, "gen", 5);
}

int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned* value) {
  return answer(device, "nvmlDeviceGetCurrPcieLinkWidth", value, "width", 16);
}

int nvmlDeviceGetMaxPcieLinkGeneration(void* device, unsigned* value) {
  return answer(device, "nvmlDeviceGetMaxPcieLinkGeneration", value, "max_gen", 5);
}

int nvmlDeviceGetMaxPcieLinkWidth(void* device, unsigned* value) {
  return answer(device, "nvmlDeviceGetMaxPcieLinkWidth", value, "max_width", 16);
}

int nvmlDeviceGetEccMode(void* device, int* now, int* later) {
  *later = 1;
  return answer(device, "nvmlDeviceGetEccMode", now, "ecc_mode", 1);
}

int nvmlDeviceGetTotalEccErrors(void* device, int kind, int, unsigned long long* value) {
  return answer(device, "nvmlDeviceGetTotalEccErrors", value, kind == 1 ? "ecc" : "corrected", 0);
}

int nvmlDeviceGetPcieThroughput(void* device, int direction, unsigned* value) {
  return answer(device, "nvmlDeviceGetPcieThroughput", value, direction == 0 ? "tx" : "rx", 1000);
}

int nvmlDeviceGetGpuInstanceId(void* device, unsigned* value) {
  *value = static_cast<unsigned>(value_of(device) - 1000 + 7);
  return 0;
}

int nvmlDeviceGetComputeInstanceId(void*, unsigned* value) {
  *value = 0;
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* entries) {
  fake::enter(variable, "nvmlDeviceGetComputeRunningProcesses_v3");
  const int status = status_of(device);
  if (status != 0) return status;
  const bool instance = value_of(device) >= 1000;
  const auto gpu_instance = instance ? static_cast<unsigned>(value_of(device) - 1000 + 7) : ~0u;
  std::string pids = fake::setting(variable, "pids");
  const int only = number("pids_on", -1);
  if (only >= 0 && !instance && only != static_cast<int>(value_of(device)) - 1) pids.clear();
  unsigned found = 0;
  while (!pids.empty()) {
    const auto plus = pids.find('+');
    if (found < *count) {
      const auto pid = static_cast<unsigned>(std::atoi(pids.substr(0, plus).c_str()));
      entries[found] = {pid, 1ull << 30, gpu_instance, instance ? 0 : ~0u};
    }
    ++found;
    pids = plus == std::string::npos ? "" : pids.substr(plus + 1);
  }
  const bool fits = found <= *count;
  *count = found;
  return fits ? 0 : insufficient_size;
}

int nvmlGpmQueryDeviceSupport(void* device, Support* support) {
  return answer(device, "nvmlGpmQueryDeviceSupport", &support->supported, "gpm", 0);
}

int nvmlGpmSampleAlloc(void** sample) {
  *sample = new int(0);
  return 0;
}

int nvmlGpmSampleGet(void* device, void*) {
  fake::enter(variable, "nvmlGpmSampleGet");
  return status_of(device);
}

int nvmlGpmMetricsGet(Metrics* metrics) {
  for (unsigned i = 0; i < metrics->count; ++i) {
    Metric& metric = metrics->metrics[i];
    metric.status = 0;
    switch (metric.id) {
      case 2:
        metric.value = number("sm", 92);
        break;
      case 5:
        metric.value = number("tensor", 80);
        break;
      case 10:
        metric.value = number("dram", 35);
        break;
      case 20:
        metric.value = number("tx", 1000) / 1024.0;
        break;
      case 21:
        metric.value = number("rx", 1000) / 1024.0;
        break;
      default:
        metric.status = not_supported;
    }
  }
  return 0;
}

}  // extern "C"
