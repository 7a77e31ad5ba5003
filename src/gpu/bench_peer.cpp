// Copies from one GPU to another: directly where they reach each other's memory, through the host
// where they don't.
#include <fmt/format.h>

#include "base/text.hpp"
#include "gpu/bench_parts.hpp"

namespace cudaenv::gpu {
namespace {

Memory memory_on(const Device& device, std::size_t bytes) {
  device.make_current();
  Memory memory(device, bytes);
  memory.fill(1);
  device.synchronize("filling memory");
  return memory;
}

Handle stream_on(const Device& device) {
  device.make_current();
  return new_stream(device);
}

// Two GPUs and a stream of copies on each, from its own memory into the other's.
class Pair {
 public:
  Pair(const Bench& bench, const Device& other, std::size_t bytes)
      : bench_(bench),
        other_(other),
        bytes_(bytes),
        there_(memory_on(other, bytes)),
        from_here_(memory_on(other, bytes)),
        back_(stream_on(other)),
        here_(memory_on(bench.device(), bytes)),
        from_other_(memory_on(bench.device(), bytes)) {}

  void copy(std::size_t bytes) const {
    bench_.check(
        bench_.api().copy_peer_async(from_here_.address(), other_.context(), here_.address(),
                                     bench_.device().context(), bytes, bench_.stream()),
        "cuMemcpyPeerAsync");
  }

  void wait() const {
    bench_.check(bench_.api().synchronize_stream(bench_.stream()), "cuStreamSynchronize");
  }

  // Seconds by our clock until both ways are done.
  double seconds_of_both(int copies) const {
    return Bench::seconds([&] {
      for (int i = 0; i < copies; ++i) {
        copy(bytes_);
        bench_.check(
            bench_.api().copy_peer_async(from_other_.address(), bench_.device().context(),
                                         there_.address(), other_.context(), bytes_, back_),
            "cuMemcpyPeerAsync");
      }
      wait();
      bench_.check(bench_.api().synchronize_stream(back_), "cuStreamSynchronize");
    });
  }

 private:
  const Bench& bench_;
  const Device& other_;
  std::size_t bytes_;
  Memory there_;
  Memory from_here_;
  Handle back_;
  Memory here_;  // last: the bench's own GPU stays current
  Memory from_other_;
};

void measure_pair(const Bench& bench, const Device& other, int number) {
  const std::size_t bytes = std::size_t{bench.quick() ? 64u : 256u} << 20;
  const Pair pair(bench, other, bytes);
  const auto moved = static_cast<double>(bytes);
  const auto figure = [](std::string name, const char* unit) {
    return Figure{"between GPUs", std::move(name), unit, 0, 0, 0, std::nullopt};
  };
  bench.measure(figure(fmt::format("to GPU {}, {}", number, size_text(bytes)), "GB/s"),
                [&] { return moved / bench.seconds_on_gpu([&] { pair.copy(bytes); }) / 1e9; });
  // A few at once: what starting and waiting costs does not count then.
  constexpr int copies = 4;
  bench.measure(figure(fmt::format("to and from GPU {}, {}", number, size_text(bytes)), "GB/s"),
                [&] { return 2 * copies * moved / pair.seconds_of_both(copies) / 1e9; });
  bench.measure(figure(fmt::format("to GPU {}, 4 B", number), "us"), [&] {
    constexpr int small = 200;
    return Bench::seconds([&] {
             for (int i = 0; i < small; ++i) {
               pair.copy(4);
               pair.wait();
             }
           }) *
           1e6 / small;
  });
}

}  // namespace

void bench_peers(Checks& checks, const Bench& bench, const std::vector<Peer>& peers,
                 const sys::ChildReport& report) {
  const auto& api = bench.device().api();
  std::vector<std::string> reached;
  for (const auto& peer : peers) {
    checks.run(fmt::format("between GPUs/{}", peer.number), [&] {
      const Device other(api, ordinal_of(api, peer.uuid, peers.size() + 1), Plant::none);
      const bool back = other.reach(bench.device());
      bench.device().make_current();
      if (bench.device().reach(other) && back) reached.push_back(std::to_string(peer.number));
      measure_pair(bench, other, peer.number);
      return std::string();
    });
  }
  report.line("fact\treaches\t" +
              (reached.empty() ? "no other" : "GPU " + text::join(reached, ", ")));
}

}  // namespace cudaenv::gpu
