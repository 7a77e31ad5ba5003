#include <functional>
#include <vector>

#include <fmt/format.h>

#include "cli/gpu_print.hpp"

namespace cudaenv::cli {
namespace {

// Backslash, quote and newline are all that the format escapes.
std::string label(std::string_view name, std::string_view value) {
  std::string text = fmt::format("{}=\"", name);
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text + "\"";
}

struct Point {
  std::string labels;  // beside those of the GPU
  double value = 0;
};
using Points = std::vector<Point>;

struct Metric {
  const char* name;
  const char* type;
  const char* help;
  std::function<Points(const GpuReading&)> points;
};

template <typename Number>
Points scaled(const std::optional<Number>& value, double scale, std::string labels = "") {
  if (!value) return {};
  return {{std::move(labels), static_cast<double>(*value) * scale}};
}

Points joined(Points first, const Points& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

template <typename Number>
std::function<Points(const GpuReading&)> of(std::optional<Number> GpuReading::*field,
                                            double scale) {
  return [field, scale](const GpuReading& gpu) { return scaled(gpu.*field, scale); };
}

std::function<Points(const GpuReading&)> of(std::uint64_t GpuMemory::*field) {
  return [field](const GpuReading& gpu) {
    return gpu.memory ? Points{{"", static_cast<double>((*gpu.memory).*field)}} : Points();
  };
}

Points throttles(const GpuReading& gpu) {
  if (!gpu.throttle) return {};
  Points points;
  for (std::uint64_t bit = throttle::application_clocks; bit <= throttle::display_clocks;
       bit <<= 1) {
    points.push_back(
        {label("reason", throttle::in_words(bit).front()), (*gpu.throttle & bit) != 0 ? 1.0 : 0.0});
  }
  return points;
}

Points ecc_errors(const GpuReading& gpu) {
  if (!gpu.ecc) return {};
  return joined(scaled(gpu.ecc->corrected, 1, label("kind", "corrected")),
                scaled(gpu.ecc->uncorrected, 1, label("kind", "uncorrected")));
}

Points instances(const GpuReading& gpu) {
  Points points;
  for (const auto& instance : gpu.instances) {
    if (!instance.memory) continue;
    points.push_back(
        {label("instance", instance.facts.uuid), static_cast<double>(instance.memory->used)});
  }
  return points;
}

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all{
      {"cudaenv_gpu_up", "gauge", "1 where the GPU answers, 0 where it is lost",
       [](const GpuReading& gpu) {
         return Points{{"", gpu.lost ? 0.0 : 1.0}};
       }},
      {"cudaenv_gpu_memory_total_bytes", "gauge", "Memory of the GPU", of(&GpuMemory::total)},
      {"cudaenv_gpu_memory_used_bytes", "gauge", "Memory in use, the driver's part included",
       of(&GpuMemory::used)},
      {"cudaenv_gpu_memory_free_bytes", "gauge", "Memory that is free", of(&GpuMemory::free)},
      {"cudaenv_gpu_instance_memory_used_bytes", "gauge", "Memory in use of a MIG instance",
       instances},
      {"cudaenv_gpu_utilization_ratio", "gauge", "Share of time in which a kernel ran",
       of(&GpuReading::utilization, 0.01)},
      {"cudaenv_gpu_memory_utilization_ratio", "gauge",
       "Share of time in which memory was read or written",
       of(&GpuReading::memory_utilization, 0.01)},
      {"cudaenv_gpu_temperature_celsius", "gauge", "Temperature of the chip",
       of(&GpuReading::temperature, 1)},
      {"cudaenv_gpu_power_watts", "gauge", "Power drawn", of(&GpuReading::power, 0.001)},
      {"cudaenv_gpu_power_limit_watts", "gauge", "Power limit in force",
       of(&GpuReading::power_limit, 0.001)},
      {"cudaenv_gpu_clock_hertz", "gauge", "Clock of the multiprocessors",
       of(&GpuReading::clock, 1e6)},
      {"cudaenv_gpu_max_clock_hertz", "gauge", "Highest clock of the multiprocessors",
       of(&GpuReading::most_clock, 1e6)},
      {"cudaenv_gpu_memory_clock_hertz", "gauge", "Clock of the memory",
       of(&GpuReading::memory_clock, 1e6)},
      {"cudaenv_gpu_throttled", "gauge", "1 where this holds the clocks back", throttles},
      {"cudaenv_gpu_ecc_errors_total", "counter", "Memory errors since the driver was loaded",
       ecc_errors},
      {"cudaenv_gpu_pcie_generation", "gauge", "Generation of the PCIe link now",
       [](const GpuReading& gpu) { return scaled(gpu.pcie.generation, 1); }},
      {"cudaenv_gpu_pcie_width", "gauge", "Lanes of the PCIe link now",
       [](const GpuReading& gpu) { return scaled(gpu.pcie.width, 1); }},
      {"cudaenv_gpu_processes", "gauge", "Processes that use the GPU",
       [](const GpuReading& gpu) {
         return gpu.processes ? Points{{"", static_cast<double>(gpu.processes->size())}} : Points();
       }},
  };
  return all;
}

std::string labels_of(const GpuReading& gpu) {
  return fmt::format("{},{},{}", label("gpu", std::to_string(gpu.index)),
                     label("uuid", gpu.facts.uuid), label("name", gpu.facts.name));
}

}  // namespace

std::string gpu_metrics(const gpu::Readings& readings) {
  std::string text;
  if (readings.driver) {
    text += fmt::format(
        "# HELP cudaenv_gpu_driver_info Version of the driver\n"
        "# TYPE cudaenv_gpu_driver_info gauge\ncudaenv_gpu_driver_info{{{}}} 1\n",
        label("version", readings.driver->text()));
  }
  for (const auto& metric : metrics()) {
    std::string lines;
    for (const auto& gpu : readings.gpus) {
      for (const auto& point : metric.points(gpu)) {
        lines += fmt::format("{}{{{}{}{}}} {}\n", metric.name, labels_of(gpu),
                             point.labels.empty() ? "" : ",", point.labels, point.value);
      }
    }
    if (lines.empty()) continue;
    text += fmt::format("# HELP {} {}\n# TYPE {} {}\n{}", metric.name, metric.help, metric.name,
                        metric.type, lines);
  }
  return text;
}

}  // namespace cudaenv::cli
