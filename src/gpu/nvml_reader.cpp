#include "gpu/nvml_reader.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cudaenv::gpu::nvml {
namespace {

// nvmlReturn_t.
constexpr int insufficient_size = 7;
constexpr int gpu_is_lost = 15;
// nvmlClockType_t.
constexpr int clock_of_multiprocessors = 1;
constexpr int clock_of_memory = 2;
// NVML_VALUE_NOT_AVAILABLE and what stands for "in no instance".
constexpr unsigned long long no_value = ~0ull;
constexpr unsigned no_instance = ~0u;
constexpr unsigned most_processes = 4096;

struct Utilization {  // nvmlUtilization_t
  unsigned gpu = 0;
  unsigned memory = 0;
};
struct Process {  // nvmlProcessInfo_t since R460; before, the first two
  unsigned pid = 0;
  unsigned long long memory = no_value;
  unsigned gpu_instance = no_instance;
  unsigned compute_instance = no_instance;
};
struct OldProcess {
  unsigned pid = 0;
  unsigned long long memory = no_value;
};
struct Metric {  // nvmlGpmMetric_t
  unsigned id = 0;
  int status = 0;
  double value = 0;
  std::array<const char*, 3> texts{};
};
struct Metrics {  // nvmlGpmMetricsGet_t, with room for what a driver may write
  unsigned version = 1;
  unsigned count = 0;
  void* before = nullptr;
  void* now = nullptr;
  std::array<Metric, 333> metrics{};
};
struct Support {  // nvmlGpmSupport_t
  unsigned version = 1;
  unsigned supported = 0;
};

struct CounterName {
  unsigned id;  // nvmlGpmMetricId_t
  const char* key;
  double scale;
};
constexpr double mib = 1 << 20;
constexpr std::array<CounterName, 5> counter_names{{{2, "busy_multiprocessors", 1},
                                                    {5, "tensor", 1},
                                                    {10, "bandwidth", 1},
                                                    {20, "sent", mib},
                                                    {21, "received", mib}}};

}  // namespace

class Reader::Asked {
 public:
  Asked(const LoadedLibrary& library, Device device) : library_(library), device_(device) {}

  // True where the call went well. Once the GPU is lost it is asked nothing more.
  template <typename... Arguments>
  bool call(const char* function, Arguments... arguments) {
    if (lost_) return false;
    const int status = library_.call(function, device_, arguments...);
    if (status == gpu_is_lost) {
      lost_ = true;
      library_.tell("lost", status);
    }
    return status == 0;
  }
  // Tells the number that the function gives last.
  template <typename Number, typename... Arguments>
  void tell(const char* key, const char* function, Arguments... arguments) {
    Number value{};
    if (call(function, arguments..., &value)) library_.tell(key, static_cast<long long>(value));
  }
  Device device() const { return device_; }
  bool lost() const { return lost_; }

 private:
  const LoadedLibrary& library_;
  Device device_;
  bool lost_ = false;
};

Reader::Reader(const sys::ChildReport& report) : library_(nvml_names, report) {}

void Reader::tell_all(Detail detail) {
  if (!library_.loaded()) return;
  if (!library_.has("nvmlInit_v2")) {
    library_.tell("unusable", "it has no nvmlInit_v2");
    return;
  }
  if (status_ != 0) status_ = library_.call("nvmlInit_v2");
  library_.tell("status", status_);
  if (status_ != 0) return;
  std::array<char, 96> version{};
  if (library_.call("nvmlSystemGetDriverVersion", version.data(), 95u) == 0) {
    library_.tell("driver", version.data());
  }
  unsigned count = 0;
  const int counted = library_.call("nvmlDeviceGetCount_v2", &count);
  if (counted != 0) library_.tell("status", counted);
  for (unsigned i = 0; i < count && i < most_devices; ++i) tell_gpu(i, detail);
}

void Reader::tell_gpu(unsigned index, Detail detail) {
  Device device = nullptr;
  const int status = library_.call("nvmlDeviceGetHandleByIndex_v2", index, &device);
  if (status != 0) {
    library_.tell("device", "gpu");
    library_.tell("index", index);
    library_.tell("lost", status);
    return;
  }
  tell_device(library_, device, "gpu");
  library_.tell("index", index);
  Asked gpu(library_, device);
  PciInfo pci;
  if (gpu.call("nvmlDeviceGetPciInfo_v3", &pci)) {
    pci.bus_id.back() = '\0';
    library_.tell("bus", pci.bus_id.data());
  }
  tell_state(gpu);
  if (detail == Detail::traffic) tell_traffic(gpu, index);
  unsigned partitioned = 0;
  unsigned later = 0;
  if (gpu.call("nvmlDeviceGetMigMode", &partitioned, &later)) {
    library_.tell("partitioned", partitioned);
  }
  // A partitioned GPU tells the processes of all its instances to administrators only.
  if (!gpu.lost() && partitioned != 1) tell_processes(device);
  if (!gpu.lost() && partitioned == 1) tell_instances(gpu);
}

void Reader::tell_state(Asked& gpu) {
  tell_memory(gpu);
  Utilization utilization;
  if (gpu.call("nvmlDeviceGetUtilizationRates", &utilization)) {
    library_.tell("utilization", utilization.gpu);
    library_.tell("memory_utilization", utilization.memory);
  }
  gpu.tell<unsigned>("temperature", "nvmlDeviceGetTemperature", 0);
  gpu.tell<unsigned>("power", "nvmlDeviceGetPowerUsage");
  gpu.tell<unsigned>("power_limit", "nvmlDeviceGetEnforcedPowerLimit");
  gpu.tell<unsigned>("clock", "nvmlDeviceGetClockInfo", clock_of_multiprocessors);
  gpu.tell<unsigned>("most_clock", "nvmlDeviceGetMaxClockInfo", clock_of_multiprocessors);
  gpu.tell<unsigned>("memory_clock", "nvmlDeviceGetClockInfo", clock_of_memory);
  gpu.tell<unsigned>("most_memory_clock", "nvmlDeviceGetMaxClockInfo", clock_of_memory);
  // Drivers before R535 know it by the second name only.
  const char* reasons = "nvmlDeviceGetCurrentClocksEventReasons";
  if (!library_.has(reasons)) reasons = "nvmlDeviceGetCurrentClocksThrottleReasons";
  gpu.tell<unsigned long long>("throttle", reasons);
  tell_link_and_errors(gpu);
}

void Reader::tell_memory(Asked& device) {
  Memory memory;
  if (device.call("nvmlDeviceGetMemoryInfo", &memory)) {
    library_.tell("used", static_cast<long long>(memory.used));
    library_.tell("free", static_cast<long long>(memory.free));
  }
}

void Reader::tell_link_and_errors(Asked& gpu) {
  gpu.tell<unsigned>("generation", "nvmlDeviceGetCurrPcieLinkGeneration");
  gpu.tell<unsigned>("width", "nvmlDeviceGetCurrPcieLinkWidth");
  gpu.tell<unsigned>("most_generation", "nvmlDeviceGetMaxPcieLinkGeneration");
  gpu.tell<unsigned>("most_width", "nvmlDeviceGetMaxPcieLinkWidth");
  int ecc = 0;
  int ecc_later = 0;
  if (gpu.call("nvmlDeviceGetEccMode", &ecc, &ecc_later) && ecc == 1) {
    gpu.tell<unsigned long long>("corrected", "nvmlDeviceGetTotalEccErrors", 0, 0);
    gpu.tell<unsigned long long>("uncorrected", "nvmlDeviceGetTotalEccErrors", 1, 0);
    gpu.tell<unsigned long long>("corrected_ever", "nvmlDeviceGetTotalEccErrors", 0, 1);
    gpu.tell<unsigned long long>("uncorrected_ever", "nvmlDeviceGetTotalEccErrors", 1, 1);
  }
}

void Reader::tell_instances(Asked& gpu) {
  unsigned most = 0;
  if (!gpu.call("nvmlDeviceGetMaxMigDeviceCount", &most)) return;
  for (unsigned i = 0; i < most && i < most_devices; ++i) {
    Device device = nullptr;
    if (!gpu.call("nvmlDeviceGetMigDeviceHandleByIndex", i, &device)) continue;
    tell_processes(device);
    tell_device(library_, device, "instance");
    Asked instance(library_, device);
    tell_memory(instance);
    instance.tell<unsigned>("gpu_instance", "nvmlDeviceGetGpuInstanceId");
    instance.tell<unsigned>("compute_instance", "nvmlDeviceGetComputeInstanceId");
  }
}

void Reader::tell_processes(Device device) {
  tell_processes_of("compute", "nvmlDeviceGetComputeRunningProcesses", device);
  tell_processes_of("compute", "nvmlDeviceGetMPSComputeRunningProcesses", device);
  tell_processes_of("graphics", "nvmlDeviceGetGraphicsRunningProcesses", device);
}

void Reader::tell_processes_of(std::string_view kind, const char* function, Device device) {
  const auto number = [](unsigned long long value, unsigned long long none) {
    return value == none ? std::string("-") : std::to_string(value);
  };
  for (const auto& name : {fmt::format("{}_v3", function), fmt::format("{}_v2", function)}) {
    if (!library_.has(name.c_str())) continue;
    std::vector<Process> list(64);
    auto count = static_cast<unsigned>(list.size());
    int status = library_.call(name.c_str(), device, &count, list.data());
    if (status == insufficient_size && count < most_processes) {
      list.resize(count + 64);  // more may start meanwhile
      count = static_cast<unsigned>(list.size());
      status = library_.call(name.c_str(), device, &count, list.data());
    }
    if (status != 0) return;
    library_.tell("processes", kind);
    for (unsigned i = 0; i < count && i < list.size(); ++i) {
      library_.tell("process",
                    fmt::format("{} {} {} {}", list[i].pid, number(list[i].memory, no_value),
                                number(list[i].gpu_instance, no_instance), kind));
    }
    return;
  }
  std::vector<OldProcess> list(most_processes);
  auto count = static_cast<unsigned>(list.size());
  if (library_.call(function, device, &count, list.data()) != 0) return;
  library_.tell("processes", kind);
  for (unsigned i = 0; i < count && i < list.size(); ++i) {
    library_.tell("process",
                  fmt::format("{} {} - {}", list[i].pid, number(list[i].memory, no_value), kind));
  }
}

// The counters cover the whole time between two readings; the other figure is of 20 ms.
void Reader::tell_traffic(Asked& gpu, unsigned index) {
  if (tell_counters(gpu, index)) return;
  constexpr std::array<std::pair<const char*, int>, 2> directions{{{"sent", 0}, {"received", 1}}};
  for (const auto& [key, counter] : directions) {
    unsigned kilobytes = 0;
    if (gpu.call("nvmlDeviceGetPcieThroughput", counter, &kilobytes)) {
      library_.tell(key, static_cast<long long>(kilobytes) * 1024);
    }
  }
}

// False where the chip has no such counters; the first look tells nothing yet.
bool Reader::tell_counters(Asked& gpu, unsigned index) {
  Counters& counters = counters_of(gpu, index);
  if (!counters.usable) return false;
  if (!gpu.call("nvmlGpmSampleGet", counters.samples[1])) return false;
  std::swap(counters.samples[0], counters.samples[1]);
  if (!std::exchange(counters.filled, true)) return true;
  static Metrics metrics;
  metrics = Metrics();
  metrics.before = counters.samples[1];
  metrics.now = counters.samples[0];
  metrics.count = counter_names.size();
  for (std::size_t i = 0; i < counter_names.size(); ++i) {
    metrics.metrics[i].id = counter_names[i].id;
  }
  if (library_.call("nvmlGpmMetricsGet", &metrics) != 0) return false;
  for (std::size_t i = 0; i < counter_names.size(); ++i) {
    const Metric& metric = metrics.metrics[i];
    if (metric.status != 0) continue;
    library_.tell(counter_names[i].key,
                  fmt::format("{:.3f}", metric.value * counter_names[i].scale));
  }
  return true;
}

Reader::Counters& Reader::counters_of(Asked& gpu, unsigned index) {
  const auto [place, fresh] = counters_.try_emplace(index);
  Counters& counters = place->second;
  if (!fresh) return counters;
  Support support;
  if (!gpu.call("nvmlGpmQueryDeviceSupport", &support) || support.supported != 1) return counters;
  counters.usable = library_.call("nvmlGpmSampleAlloc", &counters.samples[0]) == 0 &&
                    library_.call("nvmlGpmSampleAlloc", &counters.samples[1]) == 0;
  return counters;
}

}  // namespace cudaenv::gpu::nvml
