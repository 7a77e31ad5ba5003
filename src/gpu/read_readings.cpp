#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "gpu/monitor.hpp"
#include "gpu/probe_report.hpp"

namespace cudaenv::gpu {
namespace {

// Beyond these no driver's value can be one: a percentage, degrees, watts, MHz, lanes.
constexpr std::uint64_t most_percent = 100;
constexpr std::uint64_t most_degrees = 250;
constexpr std::uint64_t most_milliwatts = 100'000'000;
constexpr std::uint64_t most_mhz = 100'000;
constexpr std::uint64_t most_lanes = 64;
constexpr std::uint64_t most_bytes = 1ull << 50;

template <typename Number>
void take(std::optional<Number>& into, std::string_view value, std::uint64_t most) {
  const auto number = text::parse_unsigned(value);
  if (number && *number <= most) into = static_cast<Number>(*number);
}

// "97.250", as the child writes it.
std::optional<double> decimal(std::string_view value, double most) {
  const auto point = value.find('.');
  const auto whole = text::parse_unsigned(value.substr(0, point));
  if (!whole || static_cast<double>(*whole) > most) return std::nullopt;
  double result = static_cast<double>(*whole);
  if (point != std::string_view::npos) {
    const auto digits = value.substr(point + 1);
    const auto thousandths = text::parse_unsigned(digits);
    if (!thousandths || digits.size() != 3) return std::nullopt;
    result += static_cast<double>(*thousandths) / 1000;
  }
  return std::min(result, most);
}

template <typename Number>
struct NumberField {
  std::string_view key;
  std::optional<Number> GpuReading::*field;
  std::uint64_t most;
};
constexpr std::array<NumberField<unsigned>, 7> small_fields{{
    {"utilization", &GpuReading::utilization, most_percent},
    {"memory_utilization", &GpuReading::memory_utilization, most_percent},
    {"temperature", &GpuReading::temperature, most_degrees},
    {"clock", &GpuReading::clock, most_mhz},
    {"most_clock", &GpuReading::most_clock, most_mhz},
    {"memory_clock", &GpuReading::memory_clock, most_mhz},
    {"most_memory_clock", &GpuReading::most_memory_clock, most_mhz},
}};
constexpr std::array<NumberField<std::uint64_t>, 3> large_fields{{
    {"power", &GpuReading::power, most_milliwatts},
    {"power_limit", &GpuReading::power_limit, most_milliwatts},
    {"throttle", &GpuReading::throttle, ~0ull},
}};
struct PercentField {
  std::string_view key;
  std::optional<double> GpuReading::*field;
};
constexpr std::array<PercentField, 3> percent_fields{{
    {"busy_multiprocessors", &GpuReading::busy_multiprocessors},
    {"tensor", &GpuReading::tensor_activity},
    {"bandwidth", &GpuReading::memory_bandwidth},
}};
struct LinkField {
  std::string_view key;
  std::optional<unsigned> PcieLink::*field;
};
constexpr std::array<LinkField, 4> link_fields{{
    {"generation", &PcieLink::generation},
    {"width", &PcieLink::width},
    {"most_generation", &PcieLink::most_generation},
    {"most_width", &PcieLink::most_width},
}};
struct EccField {
  std::string_view key;
  std::optional<std::uint64_t> EccCounts::*field;
};
constexpr std::array<EccField, 4> ecc_fields{{
    {"corrected", &EccCounts::corrected},
    {"uncorrected", &EccCounts::uncorrected},
    {"corrected_ever", &EccCounts::corrected_ever},
    {"uncorrected_ever", &EccCounts::uncorrected_ever},
}};

// Which of memory's figures came; they count only together.
void take_memory(std::optional<GpuMemory>& memory, const GpuFacts& facts, std::string_view key,
                 std::string_view value) {
  const auto bytes = text::parse_unsigned(value);
  if (!bytes || !facts.memory_bytes || *bytes > *facts.memory_bytes) return;
  if (key == "used") memory = GpuMemory{*facts.memory_bytes, *bytes, 0};
  if (key == "free" && memory) memory->free = *bytes;
}

// "1234 1048576 - compute": process, bytes, instance, kind.
void take_process(GpuReading& gpu, std::string_view value) {
  const auto parts = text::split(value, ' ');
  if (parts.size() != 4 || !gpu.processes) return;
  const auto pid = text::parse_unsigned(parts[0]);
  if (!pid || *pid == 0 || *pid > 0xffffffff) return;
  GpuProcess process;
  process.pid = static_cast<std::uint32_t>(*pid);
  take(process.memory, parts[1], most_bytes);
  take(process.gpu_instance, parts[2], 1000);
  process.graphics = parts[3] == "graphics";
  const auto same = std::find_if(gpu.processes->begin(), gpu.processes->end(), [&](const auto& it) {
    return it.pid == process.pid && it.gpu_instance == process.gpu_instance;
  });
  // One that computes and draws is listed twice by NVML.
  if (same == gpu.processes->end()) gpu.processes->push_back(std::move(process));
}

void take_gpu_line(GpuReading& gpu, std::string_view key, std::string_view value) {
  for (const auto& entry : small_fields) {
    if (key == entry.key) take(gpu.*entry.field, value, entry.most);
  }
  for (const auto& entry : large_fields) {
    if (key == entry.key) take(gpu.*entry.field, value, entry.most);
  }
  for (const auto& entry : percent_fields) {
    if (key == entry.key) gpu.*entry.field = decimal(value, 100);
  }
  for (const auto& entry : link_fields) {
    if (key == entry.key) take(gpu.pcie.*entry.field, value, most_lanes);
  }
  for (const auto& entry : ecc_fields) {
    if (key != entry.key) continue;
    if (!gpu.ecc) gpu.ecc.emplace();
    take((*gpu.ecc).*entry.field, value, ~0ull);
  }
  if (key == "lost") gpu.lost = small_number(value);
  if (key == "index") gpu.index = static_cast<unsigned>(small_number(value).value_or(0));
  if (key == "partitioned") gpu.partitioned = value == "1";
  if (key == "sent" || key == "received") {
    const auto rate = decimal(value, 1e15);
    if (rate) (key == "sent" ? gpu.sent : gpu.received) = static_cast<std::uint64_t>(*rate);
  }
}

void take_instance_line(GpuInstance& instance, std::string_view key, std::string_view value) {
  take_memory(instance.memory, instance.facts, key, value);
  if (key == "gpu_instance") take(instance.gpu_instance, value, 1000);
  if (key == "compute_instance") take(instance.compute_instance, value, 1000);
  if (key != "bus") read_device_line(instance.facts, key, value);
}

}  // namespace

Readings read_readings(const sys::ChildOutcome& outcome) {
  Readings readings;
  bool in_instance = false;
  read_report(readings, outcome, [&](std::string_view key, std::string_view value) {
    if (key == "driver") {
      readings.driver = Version::parse(value);
    } else if (key == "device") {
      in_instance = value == "instance" && !readings.gpus.empty();
      if (!in_instance) readings.gpus.emplace_back();
      if (in_instance) readings.gpus.back().instances.emplace_back().facts.mig = true;
    } else if (readings.gpus.empty()) {
      return;
    } else if (auto& gpu = readings.gpus.back(); key == "processes") {
      if (!gpu.processes) gpu.processes.emplace();
    } else if (key == "process") {
      take_process(gpu, value);
    } else if (in_instance && key != "lost") {
      take_instance_line(gpu.instances.back(), key, value);
    } else {
      read_device_line(gpu.facts, key, value);
      take_memory(gpu.memory, gpu.facts, key, value);
      take_gpu_line(gpu, key, value);
    }
  });
  return readings;
}

}  // namespace cudaenv::gpu
