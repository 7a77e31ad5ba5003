#include "compat/bottleneck.hpp"

#include <functional>
#include <string>

#include <doctest/doctest.h>

using namespace cudaenv;
using compat::figures_of;
using compat::judge_run;

namespace {

// What one second of a run looks like; made 20 s long unless a test says otherwise.
struct Second {
  std::optional<unsigned> busy = 98;
  std::optional<double> filled = 92;     // busy multiprocessors, percent
  std::optional<double> bandwidth = 35;  // of memory, percent
  unsigned watts = 600;
  unsigned clock = 1980;
  std::uint64_t throttle = 0;
  double gigabytes_received = 0.1;  // a second
  double used = 0.5;                // of memory
  double processors = 1.0;
  double thread = 0.5;
  unsigned waiting = 0;
  double pressure = 0;
};

GpuReading gpu_in(const Second& second) {
  GpuReading gpu;
  gpu.utilization = second.busy;
  gpu.busy_multiprocessors = second.filled;
  gpu.memory_bandwidth = second.bandwidth;
  gpu.power = second.watts * 1000;
  gpu.power_limit = 700'000;
  gpu.clock = second.clock;
  gpu.most_clock = 1980;
  gpu.throttle = second.throttle;
  gpu.pcie = {5, 16, 5, 16};
  gpu.received = static_cast<std::uint64_t>(second.gigabytes_received * 1e9);
  gpu.sent = 0;
  const std::uint64_t total = 140ull << 30;
  const auto used = static_cast<std::uint64_t>(second.used * static_cast<double>(total));
  gpu.memory = GpuMemory{total, used, total - used};
  return gpu;
}

RunTrace trace_of(const Second& second, unsigned seconds = 20) {
  RunTrace trace;
  trace.machine_processors = 8;
  trace.gpus = {0};
  for (unsigned i = 0; i < seconds; ++i) {
    RunSample sample;
    sample.begin = i;
    sample.end = i + 1;
    sample.processors = second.processors;
    sample.busiest_thread = second.thread;
    sample.waiting = second.waiting;
    sample.io_pressure = second.pressure;
    sample.gpus = {gpu_in(second)};
    trace.samples.push_back(sample);
  }
  return trace;
}

std::string verdict(const RunTrace& trace) { return judge_run(trace).front().id; }

Second with(const std::function<void(Second&)>& change) {
  Second second;
  change(second);
  return second;
}

void append(RunTrace& trace, const RunTrace& more) {
  const double shift = trace.samples.empty() ? 0 : trace.samples.back().end;
  for (auto sample : more.samples) {
    sample.begin += shift;
    sample.end += shift;
    trace.samples.push_back(std::move(sample));
  }
}

Second idle() {
  return with([](Second& s) {
    s.busy = 0;
    s.filled = 0;
    s.bandwidth = 0;
    s.watts = 80;
  });
}

bool has(const std::vector<compat::Finding>& findings, const std::string& id) {
  for (const auto& finding : findings) {
    if (finding.id == id) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("each cause of a slow run has its own verdict") {
  struct Case {
    const char* id;
    std::function<void(Second&)> change;
  };
  const std::vector<Case> cases{
      {"run.gpu", [](Second&) {}},
      {"run.gpu", [](Second& s) { s.filled = std::nullopt; }},
      {"run.gpu", [](Second& s) { s.throttle = throttle::power_cap; }},  // but the clocks hold
      {"run.gpu-memory", [](Second& s) { s.bandwidth = 88; }},
      {"run.heat",
       [](Second& s) {
         s.throttle = throttle::thermal;
         s.clock = 1200;
       }},
      {"run.power",
       [](Second& s) {
         s.throttle = throttle::power_cap;
         s.clock = 1300;
       }},
      // A stream of tiny kernels from one thread.
      {"run.launches",
       [](Second& s) {
         s.busy = 70;
         s.filled = 8;
         s.thread = 0.99;
       }},
      // The same as PyTorch does it on an H200: rarely, and on hardly a multiprocessor.
      {"run.launches",
       [](Second& s) {
         s.busy = 23;
         s.filled = 0.03;
         s.bandwidth = 0;
         s.watts = 124;
         s.thread = 0.998;
       }},
      // A graph of tiny kernels: the processor has nothing to do.
      {"run.launches", [](Second& s) { s.filled = 8; }},
      // The same on a chip without the counter: it draws little.
      {"run.launches",
       [](Second& s) {
         s.filled = std::nullopt;
         s.watts = 180;
       }},
      {"run.transfers",
       [](Second& s) {
         s.busy = 60;
         s.filled = 50;
         s.gigabytes_received = 40;
       }},
      // Pinned copies on an H200: they count as busy, and no multiprocessor works.
      {"run.transfers",
       [](Second& s) {
         s.busy = 95;
         s.filled = 0;
         s.bandwidth = 1;
         s.watts = 129;
         s.gigabytes_received = 55;
         s.thread = 0.99;
       }},
      // Pageable copies: a thread is busy with them and the link is far from full.
      {"run.transfers",
       [](Second& s) {
         s.busy = 20;
         s.filled = 10;
         s.gigabytes_received = 8;
         s.thread = 0.97;
       }},
      {"run.processor",
       [](Second& s) {
         s.busy = 20;
         s.filled = 18;
         s.thread = 0.98;
       }},
      {"run.processor",
       [](Second& s) {
         s.busy = 30;
         s.filled = 25;
         s.processors = 7.7;
       }},
      {"run.disk",
       [](Second& s) {
         s.busy = 25;
         s.filled = 20;
         s.waiting = 3;
         s.processors = 0.4;
         s.thread = 0.2;
       }},
      {"run.disk",
       [](Second& s) {
         s.busy = 25;
         s.filled = 20;
         s.pressure = 0.6;
         s.thread = 0.2;
       }},
      // Gaps that nothing watched explains: a network, a lock.
      {"run.unclear",
       [](Second& s) {
         s.busy = 40;
         s.filled = 35;
         s.thread = 0.2;
       }},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    const auto findings = judge_run(trace_of(with(cases[i].change)));
    CHECK(findings.front().id == cases[i].id);
    CHECK_FALSE(findings.front().why.empty());
    CHECK_FALSE(findings.front().help.empty());
  }
}

TEST_CASE("a run that left its GPU idle is told so") {
  auto trace = trace_of(idle());
  CHECK(verdict(trace) == "run.gpu-unused");
  trace.gpus.clear();
  CHECK(verdict(trace) == "run.gpu-unused");
}

TEST_CASE("what is too short to tell is told so") {
  CHECK(verdict(RunTrace()) == "run.too-short");
  CHECK(verdict(trace_of(Second(), 4)) == "run.too-short");
  CHECK(verdict(trace_of(Second(), 5)) == "run.gpu");
  auto quick = trace_of(Second(), 20);
  for (auto& sample : quick.samples) {
    sample.begin /= 10;
    sample.end /= 10;
  }
  CHECK(verdict(quick) == "run.too-short");
}

TEST_CASE("without figures of a GPU nothing is claimed of it") {
  auto trace = trace_of(Second());
  trace.trouble = "no NVIDIA driver is here";
  for (auto& sample : trace.samples) sample.gpus.clear();
  const auto findings = judge_run(trace);
  CHECK(findings.front().id == "run.no-figures");
  CHECK(findings.front().why.front() == "no NVIDIA driver is here");
}

TEST_CASE("the start of a run is judged apart") {
  auto trace = trace_of(idle(), 8);
  append(trace, trace_of(Second(), 20));
  append(trace, trace_of(idle(), 5));
  const auto figures = figures_of(trace);
  CHECK(figures.start_up == doctest::Approx(8));
  CHECK(figures.judged == doctest::Approx(20));
  CHECK(verdict(trace) == "run.gpu");

  auto slow = trace_of(idle(), 50);
  append(slow, trace_of(Second(), 20));
  const auto findings = judge_run(slow);
  CHECK(findings.front().id == "run.gpu");
  CHECK(has(findings, "run.start-up"));

  auto mostly = trace_of(idle(), 50);
  append(mostly, trace_of(Second(), 2));
  CHECK(verdict(mostly) == "run.start-up");
}

TEST_CASE("memory that is nearly full is said beside the verdict") {
  const auto findings = judge_run(trace_of(with([](Second& s) { s.used = 0.97; })));
  CHECK(findings.front().id == "run.gpu");
  CHECK(has(findings, "run.memory-full"));
  CHECK_FALSE(has(judge_run(trace_of(Second())), "run.memory-full"));
}

TEST_CASE("only the run's own GPUs count; where they are not known, those with load") {
  auto trace = trace_of(idle());
  for (auto& sample : trace.samples) {
    sample.gpus.push_back(gpu_in(Second()));
    sample.gpus.back().index = 1;
  }
  CHECK(verdict(trace) == "run.gpu-unused");  // GPU 1 is another's
  trace.gpus.clear();
  CHECK(figures_of(trace).gpus == std::vector<unsigned>{1});
  CHECK(verdict(trace) == "run.gpu");
}

TEST_CASE("a GPU that tells nothing of its load is no idle one") {
  auto trace = trace_of(with([](Second& s) {
    s.busy = std::nullopt;
    s.filled = std::nullopt;
  }));
  CHECK(verdict(trace) == "run.no-figures");
  trace.gpus.clear();
  CHECK(verdict(trace) == "run.no-figures");
}
