#include <algorithm>
#include <iterator>

#include "compat/bottleneck.hpp"

namespace cudaenv::compat {
namespace {

// A mean over time of what is known.
class Mean {
 public:
  void add(std::optional<double> value, double weight) {
    if (!value) return;
    sum_ += *value * weight;
    weight_ += weight;
  }
  std::optional<double> value() const {
    return weight_ > 0 ? std::optional(sum_ / weight_) : std::nullopt;
  }

 private:
  double sum_ = 0;
  double weight_ = 0;
};

template <typename Number>
std::optional<double> share(const std::optional<Number>& part, const std::optional<Number>& whole) {
  if (!part || !whole || *whole == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(*part) / static_cast<double>(*whole));
}

template <typename Number>
std::optional<double> percent(const std::optional<Number>& value) {
  return value ? std::optional(static_cast<double>(*value) / 100) : std::nullopt;
}

std::optional<double> link_share(const GpuReading& gpu) {
  if (!gpu.pcie.generation || !gpu.pcie.width || (!gpu.received && !gpu.sent)) return std::nullopt;
  const auto capacity = pcie_capacity(*gpu.pcie.generation, *gpu.pcie.width);
  if (!capacity || *capacity == 0) return std::nullopt;
  const auto rate = std::max(gpu.received.value_or(0), gpu.sent.value_or(0));
  return std::min(1.0, static_cast<double>(rate) / static_cast<double>(*capacity));
}

const GpuReading* find(const RunSample& sample, unsigned index) {
  const auto found = std::find_if(sample.gpus.begin(), sample.gpus.end(),
                                  [&](const auto& gpu) { return gpu.index == index; });
  return found == sample.gpus.end() ? nullptr : &*found;
}

// Where the run's processes are not listed, in a container for example: the GPUs that had load, or
// whose memory was taken while the run went on.
std::set<unsigned> gpus_with_load(const RunTrace& trace) {
  constexpr std::uint64_t a_context = 64u << 20;
  std::set<unsigned> result;
  for (const auto& sample : trace.samples) {
    for (const auto& gpu : sample.gpus) {
      const auto* first = find(trace.samples.front(), gpu.index);
      const bool grew = gpu.memory && first && first->memory &&
                        gpu.memory->used > first->memory->used + a_context;
      if (gpu.utilization.value_or(0) > 0 || grew) result.insert(gpu.index);
    }
  }
  return result;
}

bool has_load(const RunSample& sample, const std::vector<unsigned>& gpus) {
  return std::any_of(gpus.begin(), gpus.end(), [&](unsigned index) {
    const auto* gpu = find(sample, index);
    return gpu && gpu->utilization.value_or(0) > 0;
  });
}

struct GpuMeans {
  Mean busy, busy_multiprocessors, tensor, bandwidth, power, clock, link, hot, capped;

  void add(const GpuReading& gpu, double weight) {
    busy.add(percent(gpu.utilization), weight);
    busy_multiprocessors.add(percent(gpu.busy_multiprocessors), weight);
    tensor.add(percent(gpu.tensor_activity), weight);
    bandwidth.add(percent(gpu.memory_bandwidth), weight);
    power.add(share(gpu.power, gpu.power_limit), weight);
    clock.add(share(gpu.clock, gpu.most_clock), weight);
    link.add(link_share(gpu), weight);
    if (!gpu.throttle) return;
    hot.add(*gpu.throttle & throttle::any_heat ? 1.0 : 0.0, weight);
    capped.add(*gpu.throttle & throttle::any_power ? 1.0 : 0.0, weight);
  }

  void give(RunFigures& figures) const {
    figures.busy = busy.value();
    figures.busy_multiprocessors = busy_multiprocessors.value();
    figures.tensor_activity = tensor.value();
    figures.memory_bandwidth = bandwidth.value();
    figures.power = power.value();
    figures.clock = clock.value();
    figures.link = link.value();
    figures.hot = hot.value().value_or(0);
    figures.capped = capped.value().value_or(0);
  }
};

struct HostMeans {
  Mean processors, thread, waiting, pressure, read;

  void add(const RunSample& sample) {
    const double weight = sample.seconds();
    processors.add(sample.processors, weight);
    thread.add(sample.busiest_thread, weight);
    waiting.add(sample.waiting > 0 ? 1.0 : 0.0, weight);
    pressure.add(sample.io_pressure, weight);
    read.add(sample.read_rate, weight);
  }

  void give(RunFigures& figures) const {
    figures.processors = processors.value().value_or(0);
    figures.busiest_thread = thread.value().value_or(0);
    figures.waiting = waiting.value().value_or(0);
    figures.io_pressure = pressure.value();
    figures.read_rate = read.value();
  }
};

}  // namespace

RunFigures figures_of(const RunTrace& trace) {
  RunFigures figures;
  if (trace.samples.empty()) return figures;
  const auto gpus = trace.gpus.empty() ? gpus_with_load(trace) : trace.gpus;
  figures.gpus.assign(gpus.begin(), gpus.end());
  const auto loaded = [&](const RunSample& sample) { return has_load(sample, figures.gpus); };
  auto first = std::find_if(trace.samples.begin(), trace.samples.end(), loaded);
  auto last = std::find_if(trace.samples.rbegin(), trace.samples.rend(), loaded).base();
  if (first == trace.samples.end()) {
    first = trace.samples.begin();
    last = trace.samples.end();
  }
  figures.start_up = first->begin - trace.samples.front().begin;
  GpuMeans of_gpus;
  HostMeans of_host;
  for (auto sample = first; sample != last; ++sample) {
    ++figures.samples;
    figures.judged += sample->seconds();
    of_host.add(*sample);
    for (const unsigned index : figures.gpus) {
      const auto* gpu = find(*sample, index);
      if (!gpu) continue;
      of_gpus.add(*gpu, sample->seconds());
      if (!gpu->memory || gpu->memory->total == 0) continue;
      const double used =
          static_cast<double>(gpu->memory->used) / static_cast<double>(gpu->memory->total);
      figures.memory_peak = std::max(figures.memory_peak.value_or(0), used);
    }
  }
  of_gpus.give(figures);
  of_host.give(figures);
  return figures;
}

}  // namespace cudaenv::compat
