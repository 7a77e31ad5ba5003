#include "gpu/monitor.hpp"

#include <memory>

#include "sys/process_view.hpp"

namespace cudaenv::gpu {
namespace {

constexpr std::size_t most_report = 1 << 22;

void name_processes(std::vector<GpuReading>& gpus) {
  for (auto& gpu : gpus) {
    if (!gpu.processes) continue;
    for (auto& process : *gpu.processes) {
      process.owner = sys::process_owner(process.pid);
      process.command = sys::process_command(process.pid);
    }
  }
}

}  // namespace

Monitor::Monitor(std::chrono::milliseconds limit)
    : limit_(limit),
      child_([reader = std::shared_ptr<nvml::Reader>()](std::string_view question,
                                                        const sys::ChildReport& report) mutable {
        if (!reader) reader = std::make_shared<nvml::Reader>(report);
        reader->tell_all(question == "traffic" ? Detail::traffic : Detail::state);
      }) {}

Readings Monitor::read(Detail detail, const Interrupt& interrupt) {
  const auto question = detail == Detail::traffic ? "traffic" : "state";
  auto readings = read_readings(child_.ask(question, {limit_, most_report}, interrupt));
  // The library says its file when it is loaded.
  if (readings.file.empty()) readings.file = file_;
  file_ = readings.file;
  remember(readings);
  name_processes(readings.gpus);
  return readings;
}

void Monitor::remember(Readings& readings) {
  for (auto& gpu : readings.gpus) {
    GpuFacts& known = known_[gpu.index];
    if (!gpu.facts.uuid.empty()) {
      known = gpu.facts;
    } else if (gpu.lost) {
      gpu.facts = known;
    }
  }
}

}  // namespace cudaenv::gpu
