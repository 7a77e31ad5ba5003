#include "gpu/bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "base/text.hpp"
#include "gpu/bench_parts.hpp"
#include "gpu/levels.hpp"
#include "sys/child.hpp"
#include "sys/environment.hpp"

namespace cudaenv::gpu {
namespace {

using Clock = std::chrono::steady_clock;

// "figure TAB group TAB name TAB unit TAB median TAB low TAB high TAB peak", "fact TAB name TAB
// value"
std::string line_of(const Figure& figure) {
  return fmt::format("figure\t{}\t{}\t{}\t{}\t{}\t{}\t{}", figure.group, figure.name, figure.unit,
                     figure.median, figure.low, figure.high, figure.peak.value_or(0));
}

double number(std::string_view text) { return std::strtod(std::string(text).c_str(), nullptr); }

void read_line(std::string_view line, BenchOutcome& outcome) {
  const auto fields = text::split(line, '\t');
  if (fields[0] == "fact" && fields.size() == 3) outcome.facts.emplace_back(fields[1], fields[2]);
  if (fields[0] != "figure" || fields.size() != 8) return;
  Figure figure{std::string(fields[1]),
                std::string(fields[2]),
                std::string(fields[3]),
                number(fields[4]),
                number(fields[5]),
                number(fields[6]),
                std::nullopt};
  if (const double peak = number(fields[7]); peak > 0) figure.peak = peak;
  outcome.figures.push_back(std::move(figure));
}

void tell_facts(const Device& device, const sys::ChildReport& report) {
  report.line(fmt::format("fact\tgpu\t{}", device.name()));
  report.line(fmt::format("fact\tchip\t{}", device.capability().sm()));
  report.line(
      fmt::format("fact\tmultiprocessors\t{}", device.attribute(Attribute::multiprocessors)));
  report.line(fmt::format("fact\tclock_mhz\t{}", device.attribute(Attribute::clock_khz) / 1000));
}

void see(const std::string& uuids) {
  if (!uuids.empty()) sys::set_own_variable("CUDA_VISIBLE_DEVICES", uuids);
}

void all_groups(const BenchRequest& request, const sys::ChildReport& report) {
  see(request.uuid);
  Checks checks(report, Plant::none);
  const auto device = open_device(checks, request.uuid);
  if (!device) return;
  tell_facts(*device, report);
  const auto api = BenchApi::load();
  const Bench bench(*device, api, report, request.quick);
  const auto group = [&](const char* name, const std::function<void()>& work) {
    checks.run(name, [&] {
      work();
      return std::string();
    });
  };
  group("latency", [&] { bench_latency(bench); });
  group("bandwidth", [&] { bench_bandwidth(bench); });
  group("links", [&] { tell_links(request.uuid, report); });
  group("launch", [&] { bench_launch(bench); });
  group("overlap", [&] { bench_overlap(bench); });
  group("products", [&] { bench_products(bench, request); });
}

void peer_group(const BenchRequest& request, const sys::ChildReport& report) {
  std::string uuids = request.uuid;
  for (const auto& peer : request.peers) uuids += "," + peer.uuid;
  see(uuids);
  Checks checks(report, Plant::none);
  const auto device = open_device(checks, request.uuid, "between GPUs, ", request.peers.size() + 1);
  if (!device) return;
  const auto api = BenchApi::load();
  const Bench bench(*device, api, report, request.quick);
  bench_peers(checks, bench, request.peers, report);
}

}  // namespace

void summarize(std::vector<double> samples, Figure& figure) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, samples.size() - 1);
    return std::lerp(samples[below], samples[above], place - static_cast<double>(below));
  };
  figure.median = at(0.5);
  figure.low = at(0.25);
  figure.high = at(0.75);
}

BenchOutcome run_bench(const BenchRequest& request, const Interrupt& interrupt) {
  BenchOutcome outcome;
  const auto measure = [&](const auto& groups) {
    const auto child =
        sys::run_in_child([&](const sys::ChildReport& report) { groups(request, report); },
                          {request.limit}, interrupt);
    for (const auto& line : child.lines) read_line(line, outcome);
    auto checks = read_checks(child, request.limit);
    std::move(checks.begin(), checks.end(), std::back_inserter(outcome.checks));
  };
  measure(all_groups);
  if (!request.uuid.empty() && !request.peers.empty()) measure(peer_group);
  return outcome;
}

BenchApi BenchApi::load() {
  const auto libcuda = Library::libcuda();
  BenchApi api{};
  libcuda.find(api.allocate_pinned, "cuMemHostAlloc");
  libcuda.find(api.release_pinned, "cuMemFreeHost");
  libcuda.find(api.allocate_managed, "cuMemAllocManaged");
  libcuda.find(api.prefetch, "cuMemPrefetchAsync");
  libcuda.find(api.to_device_async, "cuMemcpyHtoDAsync_v2");
  libcuda.find(api.to_host_async, "cuMemcpyDtoHAsync_v2");
  libcuda.find(api.on_device_async, "cuMemcpyDtoDAsync_v2");
  libcuda.find(api.copy_peer_async, "cuMemcpyPeerAsync");
  libcuda.find(api.synchronize_stream, "cuStreamSynchronize");
  libcuda.find(api.create_event, "cuEventCreate");
  libcuda.find(api.record_event, "cuEventRecord");
  libcuda.find(api.synchronize_event, "cuEventSynchronize");
  libcuda.find(api.elapsed, "cuEventElapsedTime");
  libcuda.find(api.begin_capture, "cuStreamBeginCapture_v2");
  libcuda.find(api.end_capture, "cuStreamEndCapture");
  libcuda.find(api.instantiate, "cuGraphInstantiate_v2");
  libcuda.find(api.launch_graph, "cuGraphLaunch");
  return api;
}

Handle new_stream(const Device& device) {
  constexpr unsigned non_blocking = 1;  // CU_STREAM_NON_BLOCKING
  Handle stream = nullptr;
  device.api().check(device.api().create_stream(&stream, non_blocking), "cuStreamCreate");
  return stream;
}

Bench::Bench(const Device& device, const BenchApi& api, const sys::ChildReport& report, bool quick)
    : device_(device), api_(api), report_(report), quick_(quick) {
  stream_ = new_stream(device);
  check(api.create_event(&start_, 0), "cuEventCreate");
  check(api.create_event(&end_, 0), "cuEventCreate");
}

void Bench::measure(Figure figure, const std::function<double()>& round) const {
  const int warm_up = quick_ ? 2 : 5;
  const int rounds = quick_ ? 7 : 25;
  for (int i = 0; i < warm_up; ++i) round();
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i) samples.push_back(round());
  summarize(std::move(samples), figure);
  report_.line(line_of(figure));
}

double Bench::seconds_on_gpu(const std::function<void()>& work) const {
  check(api_.record_event(start_, stream_), "cuEventRecord");
  work();
  check(api_.record_event(end_, stream_), "cuEventRecord");
  check(api_.synchronize_event(end_), "cuEventSynchronize");
  float milliseconds = 0;
  check(api_.elapsed(&milliseconds, start_, end_), "cuEventElapsedTime");
  return static_cast<double>(milliseconds) / 1000;
}

double Bench::seconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Pinned::Pinned(const Bench& bench, std::size_t bytes) : bench_(bench) {
  bench.check(bench.api().allocate_pinned(&data_, bytes, 0), "cuMemHostAlloc");
}

Pinned::~Pinned() { bench_.api().release_pinned(data_); }

}  // namespace cudaenv::gpu
