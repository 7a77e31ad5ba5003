#include <nlohmann/json.hpp>

#include "cli/gpu_print.hpp"
#include "cli/json_parts.hpp"

namespace cudaenv::cli {
namespace {

using nlohmann::ordered_json;

ordered_json watts_json(const std::optional<std::uint64_t>& milliwatts) {
  return milliwatts ? ordered_json(static_cast<double>(*milliwatts) / 1000) : ordered_json(nullptr);
}

ordered_json memory_json(const std::optional<GpuMemory>& memory) {
  if (!memory) return nullptr;
  return {{"total", memory->total}, {"used", memory->used}, {"free", memory->free}};
}

ordered_json ecc_json(const std::optional<EccCounts>& ecc) {
  if (!ecc) return nullptr;
  return {{"corrected", json_of(ecc->corrected)},
          {"uncorrected", json_of(ecc->uncorrected)},
          {"corrected_ever", json_of(ecc->corrected_ever)},
          {"uncorrected_ever", json_of(ecc->uncorrected_ever)}};
}

ordered_json instances_json(const GpuReading& gpu) {
  ordered_json list = ordered_json::array();
  for (const auto& instance : gpu.instances) {
    list.push_back({{"name", json_of(instance.facts.name)},
                    {"uuid", json_of(instance.facts.uuid)},
                    {"gpu_instance", json_of(instance.gpu_instance)},
                    {"compute_instance", json_of(instance.compute_instance)},
                    {"memory", memory_json(instance.memory)}});
  }
  return list;
}

ordered_json processes_json(const GpuReading& gpu) {
  if (!gpu.processes) return nullptr;
  ordered_json list = ordered_json::array();
  for (const auto& process : *gpu.processes) {
    list.push_back({{"pid", process.pid},
                    {"owner", json_of(process.owner)},
                    {"command", json_of(process.command)},
                    {"memory", json_of(process.memory)},
                    {"gpu_instance", json_of(process.gpu_instance)},
                    {"graphics", process.graphics}});
  }
  return list;
}

ordered_json one_gpu(const GpuReading& gpu) {
  return {{"index", gpu.index},
          {"name", json_of(gpu.facts.name)},
          {"uuid", json_of(gpu.facts.uuid)},
          {"bus_id", json_of(gpu.facts.bus_id)},
          {"compute_capability",
           gpu.facts.capability ? ordered_json(gpu.facts.capability->text()) : nullptr},
          {"lost", json_of(gpu.lost)},
          {"memory", memory_json(gpu.memory)},
          {"utilization_percent", json_of(gpu.utilization)},
          {"memory_utilization_percent", json_of(gpu.memory_utilization)},
          {"temperature_celsius", json_of(gpu.temperature)},
          {"power_watts", watts_json(gpu.power)},
          {"power_limit_watts", watts_json(gpu.power_limit)},
          {"clock_mhz", json_of(gpu.clock)},
          {"max_clock_mhz", json_of(gpu.most_clock)},
          {"memory_clock_mhz", json_of(gpu.memory_clock)},
          {"max_memory_clock_mhz", json_of(gpu.most_memory_clock)},
          {"throttle", gpu.throttle ? ordered_json(throttle::in_words(*gpu.throttle)) : nullptr},
          {"ecc", ecc_json(gpu.ecc)},
          {"mig", json_of(gpu.partitioned)},
          {"instances", instances_json(gpu)},
          {"pcie",
           {{"generation", json_of(gpu.pcie.generation)},
            {"width", json_of(gpu.pcie.width)},
            {"max_generation", json_of(gpu.pcie.most_generation)},
            {"max_width", json_of(gpu.pcie.most_width)}}},
          {"processes", processes_json(gpu)}};
}

}  // namespace

ordered_json gpu_json(const gpu::Readings& readings, std::string_view time) {
  ordered_json list = ordered_json::array();
  for (const auto& gpu : readings.gpus) list.push_back(one_gpu(gpu));
  return {{"schema", 1},
          {"time", time},
          {"driver", readings.driver ? ordered_json(readings.driver->text()) : nullptr},
          {"gpus", list}};
}

}  // namespace cudaenv::cli
