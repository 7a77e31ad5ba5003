#include "cli/gpu_print.hpp"

#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "commands/gpu_state.hpp"

namespace cudaenv::cli {
namespace {

constexpr const char* unknown = "N/A";
using Rows = std::vector<std::vector<std::string>>;

template <typename Number>
std::string text_of(const std::optional<Number>& value) {
  return value ? fmt::format("{}", *value) : unknown;
}

std::string watts_of(const std::optional<std::uint64_t>& milliwatts) {
  return milliwatts ? watts(*milliwatts) : unknown;
}

std::string memory_text(const std::optional<GpuMemory>& memory) {
  if (!memory) return unknown;
  return fmt::format("{} used of {}, {} free", gib(memory->used), gib(memory->total),
                     gib(memory->free));
}

std::string ecc_text(const std::optional<EccCounts>& ecc) {
  if (!ecc) return unknown;
  return fmt::format("{} corrected, {} uncorrected since the driver was loaded; ever {}, {}",
                     text_of(ecc->corrected), text_of(ecc->uncorrected),
                     text_of(ecc->corrected_ever), text_of(ecc->uncorrected_ever));
}

std::string pcie_text(const PcieLink& link) {
  if (!link.generation && !link.width) return unknown;
  return fmt::format("generation {} of {}, width {} of {}", text_of(link.generation),
                     text_of(link.most_generation), text_of(link.width), text_of(link.most_width));
}

std::string instance_text(const GpuInstance& instance) {
  return fmt::format("{}  {}  {}", instance.facts.name, instance.facts.uuid,
                     memory_text(instance.memory));
}

void add_processes(Rows& rows, const GpuReading& gpu) {
  if (!gpu.processes) {
    rows.push_back({"  processes", unknown});
    return;
  }
  if (gpu.processes->empty()) rows.push_back({"  processes", "none"});
  bool first = true;
  for (const auto& process : *gpu.processes) {
    rows.push_back(
        {first ? "  processes" : "", fmt::format("{}  {}", process_text(process),
                                                 process.memory ? gib(*process.memory) : unknown)});
    first = false;
  }
}

void add_values(Rows& rows, const GpuReading& gpu) {
  rows.push_back({"  memory", memory_text(gpu.memory)});
  rows.push_back({"  busy", fmt::format("{} %, memory {} %", text_of(gpu.utilization),
                                        text_of(gpu.memory_utilization))});
  rows.push_back(
      {"  temperature", gpu.temperature ? fmt::format("{} C", *gpu.temperature) : unknown});
  rows.push_back(
      {"  power", fmt::format("{} of {} W", watts_of(gpu.power), watts_of(gpu.power_limit))});
  rows.push_back({"  clock", fmt::format("{} of {} MHz, memory {} of {} MHz", text_of(gpu.clock),
                                         text_of(gpu.most_clock), text_of(gpu.memory_clock),
                                         text_of(gpu.most_memory_clock))});
  rows.push_back({"  held back by", throttle_text(gpu)});
  rows.push_back({"  ECC errors", ecc_text(gpu.ecc)});
  rows.push_back({"  PCIe", pcie_text(gpu.pcie)});
  rows.push_back({"  MIG", gpu.partitioned ? (*gpu.partitioned ? "on" : "off") : unknown});
  for (const auto& instance : gpu.instances) rows.push_back({"", instance_text(instance)});
  add_processes(rows, gpu);
}

}  // namespace

std::string gib(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30));
}

std::string watts(std::uint64_t milliwatts) { return fmt::format("{}", (milliwatts + 500) / 1000); }

std::string process_text(const GpuProcess& process) {
  return fmt::format("{} {} {}", process.pid, process.owner.empty() ? "?" : process.owner,
                     process.command.empty() ? "?" : process.command);
}

std::string throttle_text(const GpuReading& gpu) {
  if (!gpu.throttle) return unknown;
  const auto words = throttle::in_words(*gpu.throttle & ~throttle::idle);
  return words.empty() ? "none" : text::join(words, ", ");
}

std::string gpu_blocks(const gpu::Readings& readings, const Style& style) {
  Rows rows;
  rows.push_back({"driver", readings.driver ? readings.driver->text() : unknown});
  for (const auto& gpu : readings.gpus) {
    const auto& facts = gpu.facts;
    rows.push_back({});
    rows.push_back({style.bold(fmt::format("GPU {}", gpu.index)),
                    fmt::format("{}  {}  {}", facts.name.empty() ? unknown : facts.name, facts.uuid,
                                facts.bus_id)});
    if (gpu.lost) {
      rows.push_back({"  " + style.red("lost"), commands::nvml_words(*gpu.lost)});
    } else {
      add_values(rows, gpu);
    }
  }
  return table(rows);
}

std::string gpu_lines(const gpu::Readings& readings, std::string_view time) {
  std::string text;
  for (const auto& gpu : readings.gpus) {
    text += fmt::format("{} gpu={} ", time, gpu.index);
    if (gpu.lost) {
      text += fmt::format("lost={}\n", *gpu.lost);
      continue;
    }
    const auto mib = [](std::uint64_t bytes) { return bytes >> 20; };
    text += fmt::format(
        "util={} mem_util={} mem_mib={} mem_total_mib={} temp_c={} power_w={} limit_w={} "
        "clock_mhz={} max_mhz={} held_back=\"{}\"\n",
        text_of(gpu.utilization), text_of(gpu.memory_utilization),
        gpu.memory ? fmt::format("{}", mib(gpu.memory->used)) : unknown,
        gpu.memory ? fmt::format("{}", mib(gpu.memory->total)) : unknown, text_of(gpu.temperature),
        watts_of(gpu.power), watts_of(gpu.power_limit), text_of(gpu.clock), text_of(gpu.most_clock),
        throttle_text(gpu));
  }
  return text;
}

}  // namespace cudaenv::cli
