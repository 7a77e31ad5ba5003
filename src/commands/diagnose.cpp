#include "commands/diagnose.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/gpu_state.hpp"
#include "gpu/monitor.hpp"
#include "sys/machine.hpp"
#include "sys/process_tree.hpp"
#include "sys/process_view.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::commands {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t most_samples = 7200;  // an hour of half seconds; then every second one goes

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

template <typename Number>
std::optional<double> rate(const std::optional<Number>& amount, double seconds) {
  return amount ? std::optional(static_cast<double>(*amount) / seconds) : std::nullopt;
}

// Two samples as one: what the run did is joined, the GPUs are as at the end.
RunSample joined(const RunSample& first, RunSample second) {
  const double a = first.seconds();
  const double b = second.seconds();
  const auto mean = [&](double of_first, double of_second) {
    return (of_first * a + of_second * b) / (a + b);
  };
  second.begin = first.begin;
  second.processors = mean(first.processors, second.processors);
  second.busiest_thread = mean(first.busiest_thread, second.busiest_thread);
  second.waiting = std::max(first.waiting, second.waiting);
  for (const auto field :
       {&RunSample::read_rate, &RunSample::write_rate, &RunSample::io_pressure}) {
    if (first.*field && second.*field) second.*field = mean(*(first.*field), *(second.*field));
  }
  return second;
}

class Watch {
 public:
  Watch(std::uint32_t pid, const Host& host)
      : monitor_(driver_timeout(host)), tree_(pid), began_(Clock::now()), former_(began_) {
    trace_.machine_processors = sys::this_machine().processors;
    tree_.look();
    pressure_ = sys::io_pressure();
    read_gpus({});
  }

  // False when the process has ended.
  bool take() {
    const auto look = tree_.look();
    if (look.pids.empty()) return false;
    const auto pressure = sys::io_pressure();
    const auto now = Clock::now();
    const double passed = std::max(1e-3, seconds_between(former_, now));
    RunSample sample;
    sample.begin = seconds_between(began_, former_);
    sample.end = seconds_between(began_, now);
    sample.processors = look.cpu_seconds / passed;
    sample.busiest_thread = std::min(1.0, look.busiest_thread / passed);
    sample.processes = static_cast<unsigned>(look.pids.size());
    sample.threads = look.threads;
    sample.waiting = look.waiting;
    sample.read_rate = rate(look.bytes_read, passed);
    sample.write_rate = rate(look.bytes_written, passed);
    if (pressure && pressure_) {
      const double waited = static_cast<double>(*pressure - *pressure_) / 1e6;
      sample.io_pressure = std::min(1.0, waited / passed);
    }
    pressure_ = pressure;
    former_ = now;
    sample.gpus = read_gpus(look.pids);
    trace_.samples.push_back(std::move(sample));
    return true;
  }

  // Where there are many, a sample each for two, so that a run of days is no load on memory.
  bool thin() {
    auto& samples = trace_.samples;
    if (samples.size() < most_samples) return false;
    for (std::size_t i = 0; i + 1 < samples.size(); i += 2) {
      samples[i / 2] = joined(samples[i], std::move(samples[i + 1]));
    }
    samples.resize(samples.size() / 2);
    return true;
  }

  RunTrace& trace() { return trace_; }
  double seconds() const { return seconds_between(began_, Clock::now()); }

 private:
  std::vector<GpuReading> read_gpus(const std::set<std::uint32_t>& pids) {
    if (given_up_) return {};
    // The command goes on meanwhile, and signals are its affair.
    auto readings = monitor_.read(gpu::Monitor::Detail::traffic, NoInterrupt());
    if (const auto trouble = trouble_of(readings)) {
      trace_.trouble = trouble->what;
      // Each further wait would be as long.
      given_up_ = trouble->missing || readings.end == gpu::LibraryProbe::End::hung;
      return {};
    }
    for (auto& gpu : readings.gpus) {
      if (!gpu.processes) continue;
      const bool ours =
          std::any_of(gpu.processes->begin(), gpu.processes->end(),
                      [&](const auto& process) { return pids.contains(process.pid); });
      if (ours) trace_.gpus.insert(gpu.index);
      gpu.processes.reset();  // kept for each sample they would be much
    }
    return std::move(readings.gpus);
  }

  gpu::Monitor monitor_;
  sys::ProcessTree tree_;
  RunTrace trace_;
  Clock::time_point began_;
  Clock::time_point former_;
  std::optional<std::uint64_t> pressure_;
  bool given_up_ = false;
};

// Looks at each interval until `wait`, which waits until then, says that it is over.
template <typename Wait>
void watch_until(Watch& watch, std::chrono::milliseconds interval, Wait wait) {
  auto next = Clock::now() + interval;
  while (!wait(next)) {
    if (!watch.take()) return;
    if (watch.thin()) interval *= 2;
    next = std::max(next + interval, Clock::now());
  }
}

void run_and_watch(const DiagnoseRequest& request, const Host& host, DiagnoseResult& result) {
  sys::Companion companion(request.command, host.environment.variables());
  result.pid = static_cast<std::uint32_t>(companion.pid());
  Watch watch(result.pid, host);
  watch_until(watch, request.interval, [&](Clock::time_point then) {
    result.ending = companion.wait_until(then);
    return result.ending.has_value();
  });
  result.seconds = watch.seconds();
  // A process that is dead but not yet waited for ends the looks a moment before.
  while (!result.ending) {
    result.ending = companion.wait_until(Clock::now() + std::chrono::hours(1));
  }
  result.trace = std::move(watch.trace());
}

void watch_process(const DiagnoseRequest& request, const Host& host, DiagnoseResult& result) {
  result.pid = request.pid;
  result.what = sys::process_command(request.pid);
  if (result.what.empty()) {
    throw Error(ErrorKind::missing, fmt::format("there is no process {}", request.pid));
  }
  const auto end = Clock::now() + request.duration.value_or(std::chrono::hours(24 * 365));
  Watch watch(result.pid, host);
  watch_until(watch, request.interval, [&](Clock::time_point then) {
    sys::wait_until(std::min(then, end), host.interrupt);
    return host.interrupt.requested() != 0 || Clock::now() >= end;
  });
  result.seconds = watch.seconds();
  result.trace = std::move(watch.trace());
}

}  // namespace

DiagnoseResult diagnose(const DiagnoseRequest& request, const Host& host) {
  DiagnoseResult result;
  result.began = sys::now_utc();
  if (request.command.empty()) {
    watch_process(request, host, result);
  } else {
    result.what = text::visible(text::join(request.command, " "));
    run_and_watch(request, host, result);
  }
  result.figures = compat::figures_of(result.trace);
  result.findings = compat::judge_run(result.trace);
  return result;
}

}  // namespace cudaenv::commands
