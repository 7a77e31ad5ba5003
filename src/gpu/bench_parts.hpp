#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/bench.hpp"
#include "gpu/device.hpp"

// What the parts of the benchmark share, in the child process.
namespace cudaenv::gpu {

// The part of libcuda that only the benchmark uses. Names are those of cuda.h.
struct BenchApi {
  static BenchApi load();

  Result (*allocate_pinned)(void** memory, std::size_t bytes, unsigned flags);
  Result (*release_pinned)(void* memory);
  Result (*allocate_managed)(DevicePointer* memory, std::size_t bytes, unsigned flags);
  Result (*prefetch)(DevicePointer memory, std::size_t bytes, int device, Handle stream);
  Result (*to_device_async)(DevicePointer to, const void* from, std::size_t bytes, Handle stream);
  Result (*to_host_async)(void* to, DevicePointer from, std::size_t bytes, Handle stream);
  Result (*on_device_async)(DevicePointer to, DevicePointer from, std::size_t bytes, Handle stream);
  Result (*copy_peer_async)(DevicePointer to, Handle to_context, DevicePointer from,
                            Handle from_context, std::size_t bytes, Handle stream);
  Result (*synchronize_stream)(Handle stream);
  Result (*create_event)(Handle* event, unsigned flags);
  Result (*record_event)(Handle event, Handle stream);
  Result (*synchronize_event)(Handle event);
  Result (*elapsed)(float* milliseconds, Handle start, Handle end);
  // A graph of what is done on a stream between the two.
  Result (*begin_capture)(Handle stream, int mode);
  Result (*end_capture)(Handle stream, Handle* graph);
  Result (*instantiate)(Handle* executable, Handle graph, Handle* failed, char* log,
                        std::size_t log_bytes);
  Result (*launch_graph)(Handle executable, Handle stream);
};

// A stream on the current context's GPU that waits for no other.
Handle new_stream(const Device& device);

// One group of figures in the making.
class Bench {
 public:
  Bench(const Device& device, const BenchApi& api, const sys::ChildReport& report, bool quick);

  const Device& device() const { return device_; }
  const BenchApi& api() const { return api_; }
  bool quick() const { return quick_; }
  Handle stream() const { return stream_; }

  // A round returns its figure. The first ones, while clocks rise and caches fill, do not count.
  void measure(Figure figure, const std::function<double()>& round) const;
  // Seconds of `work` on the stream, by the GPU's own clock.
  double seconds_on_gpu(const std::function<void()>& work) const;
  // Seconds of `work` by ours.
  static double seconds(const std::function<void()>& work);
  void check(Result result, std::string_view doing) const { device_.api().check(result, doing); }

 private:
  const Device& device_;
  const BenchApi& api_;
  const sys::ChildReport& report_;
  bool quick_;
  Handle stream_ = nullptr;
  Handle start_ = nullptr;
  Handle end_ = nullptr;
};

// Memory of the host that the GPU copies from without a stop.
class Pinned {
 public:
  Pinned(const Bench& bench, std::size_t bytes);
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned();
  void* data() const { return data_; }

 private:
  const Bench& bench_;
  void* data_ = nullptr;
};

// Facts of the links and clocks by NVML, while the GPU is awake. Throws CheckSkipped without it.
void tell_links(const std::string& uuid, const sys::ChildReport& report);

// "256 MiB", "16 KiB", "4 B".
std::string size_text(std::size_t bytes);

void bench_latency(const Bench& bench);
void bench_bandwidth(const Bench& bench);
void bench_launch(const Bench& bench);
void bench_overlap(const Bench& bench);
void bench_products(const Bench& bench, const BenchRequest& request);
// In a process that sees the others too; a check for each.
void bench_peers(Checks& checks, const Bench& bench, const std::vector<Peer>& peers,
                 const sys::ChildReport& report);

}  // namespace cudaenv::gpu
