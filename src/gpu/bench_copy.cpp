// Copies between host and device, and on the device: how long the smallest take, and how fast the
// largest go.
#include <cstring>

#include <fmt/format.h>

#include "gpu/bench_parts.hpp"

namespace cudaenv::gpu {
namespace {

// One round of many small copies: a clock's own cost does not count then.
void latency(const Bench& bench, const char* kind, std::size_t bytes, void* host,
             const Memory& memory) {
  constexpr int copies = 200;
  const auto& api = bench.device().api();
  const auto each = [&](const char* direction, const std::function<void()>& copy) {
    bench.measure({"latency", fmt::format("{}, {}, {}", direction, kind, size_text(bytes)), "us", 0,
                   0, 0, std::nullopt},
                  [&] {
                    return Bench::seconds([&] {
                             for (int i = 0; i < copies; ++i) copy();
                           }) *
                           1e6 / copies;
                  });
  };
  each("host to device", [&] {
    bench.check(api.to_device(memory.address(), host, bytes), "copying to the GPU");
    // The driver takes small copies from pageable memory aside and returns before they are done.
    bench.check(api.synchronize(), "copying to the GPU");
  });
  each("device to host",
       [&] { bench.check(api.to_host(host, memory.address(), bytes), "copying from the GPU"); });
}

void bandwidth(const Bench& bench, const std::string& name, std::size_t bytes, double moved,
               const std::function<void()>& copy, std::optional<double> peak = std::nullopt) {
  bench.measure({"bandwidth", fmt::format("{}, {}", name, size_text(bytes)), "GB/s", 0, 0, 0, peak},
                [&] { return moved / bench.seconds_on_gpu(copy) / 1e9; });
}

// Both edges of the memory's clock, over the whole width of its bus; in GB/s.
std::optional<double> memory_peak(const Device& device) {
  const double clock = device.attribute(Attribute::memory_clock_khz) * 1e3;
  const double bytes = device.attribute(Attribute::memory_bus_bits) / 8.0;
  if (clock <= 0 || bytes <= 0) return std::nullopt;
  return 2 * clock * bytes / 1e9;
}

// Pages move to where they are asked for.
void managed(const Bench& bench, std::size_t bytes) {
  constexpr unsigned attach_global = 1;  // CU_MEM_ATTACH_GLOBAL
  constexpr int to_cpu = -1;             // CU_DEVICE_CPU
  const auto& api = bench.api();
  const auto& device = bench.device();
  DevicePointer memory = 0;
  bench.check(api.allocate_managed(&memory, bytes, attach_global), "cuMemAllocManaged");
  std::memset(reinterpret_cast<void*>(memory), 1, bytes);
  const auto move_to = [&](int place) {
    const double seconds = Bench::seconds([&] {
      bench.check(api.prefetch(memory, bytes, place, bench.stream()), "cuMemPrefetchAsync");
      bench.check(api.synchronize_stream(bench.stream()), "cuStreamSynchronize");
    });
    return static_cast<double>(bytes) / seconds / 1e9;
  };
  const std::string size = size_text(bytes);
  bench.measure({"bandwidth", "host to device, managed, " + size, "GB/s", 0, 0, 0, std::nullopt},
                [&] {
                  move_to(to_cpu);
                  return move_to(device.number());
                });
  bench.measure({"bandwidth", "device to host, managed, " + size, "GB/s", 0, 0, 0, std::nullopt},
                [&] {
                  move_to(device.number());
                  return move_to(to_cpu);
                });
  device.api().release(memory);
}

}  // namespace

std::string size_text(std::size_t bytes) {
  if (bytes >= std::size_t{1} << 20) return fmt::format("{} MiB", bytes >> 20);
  return bytes >= 1024 ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} B", bytes);
}

void bench_latency(const Bench& bench) {
  constexpr std::size_t sizes[] = {4, 64, 1024, 16 << 10, 64 << 10};
  std::vector<char> pageable(64 << 10);
  const Pinned pinned(bench, pageable.size());
  const Memory memory(bench.device(), pageable.size());
  for (const std::size_t bytes : sizes) {
    latency(bench, "pageable", bytes, pageable.data(), memory);
    latency(bench, "pinned", bytes, pinned.data(), memory);
  }
}

void bench_bandwidth(const Bench& bench) {
  const std::size_t bytes = std::size_t{bench.quick() ? 64u : 256u} << 20;
  const auto& api = bench.api();
  const Memory memory(bench.device(), bytes);
  std::vector<char> pageable(bytes, 1);
  const Pinned pinned(bench, bytes);
  std::memset(pinned.data(), 1, bytes);
  for (const auto& [kind, host] :
       {std::pair<const char*, void*>{"pageable", pageable.data()}, {"pinned", pinned.data()}}) {
    const auto moved = static_cast<double>(bytes);
    bandwidth(bench, fmt::format("host to device, {}", kind), bytes, moved, [&, from = host] {
      bench.check(api.to_device_async(memory.address(), from, bytes, bench.stream()),
                  "copying to the GPU");
    });
    bandwidth(bench, fmt::format("device to host, {}", kind), bytes, moved, [&, to = host] {
      bench.check(api.to_host_async(to, memory.address(), bytes, bench.stream()),
                  "copying from the GPU");
    });
  }
  managed(bench, bytes);

  const std::size_t large = std::size_t{bench.quick() ? 256u : 2048u} << 20;
  const Memory from(bench.device(), large);
  const Memory to(bench.device(), large);
  from.fill(1);
  // Read and written.
  bandwidth(
      bench, "device to device", large, 2.0 * static_cast<double>(large),
      [&] {
        bench.check(api.on_device_async(to.address(), from.address(), large, bench.stream()),
                    "copying on the GPU");
      },
      memory_peak(bench.device()));
}

}  // namespace cudaenv::gpu
