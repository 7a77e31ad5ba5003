// What it costs to start work and to wait for it, and how much of the copying hides behind it.
#include <algorithm>

#include <fmt/format.h>

#include "gpu/bench_parts.hpp"
#include "gpu/kernel_checks.hpp"

namespace cudaenv::gpu {
namespace {

// A stream's work as a graph, which is launched as a whole.
class Graph {
 public:
  Graph(const Bench& bench, const std::function<void()>& work) : bench_(bench) {
    constexpr int thread_local_mode = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
    const auto& api = bench.api();
    Handle graph = nullptr;
    bench.check(api.begin_capture(bench.stream(), thread_local_mode), "cuStreamBeginCapture");
    work();
    bench.check(api.end_capture(bench.stream(), &graph), "cuStreamEndCapture");
    bench.check(api.instantiate(&executable_, graph, nullptr, nullptr, 0), "cuGraphInstantiate");
  }

  void launch() const {
    bench_.check(bench_.api().launch_graph(executable_, bench_.stream()), "cuGraphLaunch");
  }

 private:
  const Bench& bench_;
  Handle executable_ = nullptr;
};

// Rows of chunks that are copied to the GPU, worked on, and copied back, over several streams.
class Pipeline {
 public:
  Pipeline(const Bench& bench, const Module& module)
      : bench_(bench),
        kernel_(module.kernel("vector_add")),
        host_(bench, chunks * chunk_bytes),
        memory_(bench.device(), chunks * chunk_bytes) {
    streams_.resize(4);
    for (auto& stream : streams_) stream = new_stream(bench.device());
    calibrate();
  }

  double seconds(std::size_t stream_count) const {
    return Bench::seconds([&] {
      for (std::size_t i = 0; i < chunks; ++i) one_chunk(i, streams_[i % stream_count]);
      bench_.device().synchronize("waiting for the streams");
    });
  }

 private:
  static constexpr std::size_t chunks = 16;
  static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;

  DevicePointer on_device(std::size_t chunk) const {
    return memory_.address() + chunk * chunk_bytes;
  }
  char* on_host(std::size_t chunk) const {
    return static_cast<char*>(host_.data()) + chunk * chunk_bytes;
  }

  void work_on(std::size_t chunk, Handle stream) const {
    const auto at = on_device(chunk);
    kernel_.launch(stream, {blocks_, 256}, at, at, at, std::uint64_t{chunk_bytes / sizeof(float)});
  }

  void one_chunk(std::size_t chunk, Handle stream) const {
    const auto& api = bench_.api();
    bench_.check(api.to_device_async(on_device(chunk), on_host(chunk), chunk_bytes, stream),
                 "copying to the GPU");
    work_on(chunk, stream);
    bench_.check(api.to_host_async(on_host(chunk), on_device(chunk), chunk_bytes, stream),
                 "copying from the GPU");
  }

  // As many blocks as make the kernel last about as long as one of the copies.
  void calibrate() {
    const auto& api = bench_.api();
    const auto stream = bench_.stream();
    const auto copy = [&] {
      bench_.check(api.to_device_async(on_device(0), on_host(0), chunk_bytes, stream), "copying");
    };
    copy();
    const double wanted = bench_.seconds_on_gpu(copy);
    for (blocks_ = 256; blocks_ > 1; blocks_ /= 2) {
      work_on(0, stream);
      if (bench_.seconds_on_gpu([&] { work_on(0, stream); }) >= wanted) break;
    }
  }

  const Bench& bench_;
  Kernel kernel_;
  Pinned host_;
  Memory memory_;
  std::vector<Handle> streams_;
  unsigned blocks_ = 256;
};

}  // namespace

void bench_launch(const Bench& bench) {
  constexpr int launches = 1000;
  const auto& device = bench.device();
  const Module module(device, kernel_text("basic.ptx"), "basic.ptx");
  const Memory memory(device, 256);
  const auto kernel = module.kernel("vector_add");
  const auto nothing = [&] {
    kernel.launch(bench.stream(), {1, 32}, memory.address(), memory.address(), memory.address(),
                  std::uint64_t{0});
  };
  const auto wait = [&] {
    bench.check(bench.api().synchronize_stream(bench.stream()), "cuStreamSynchronize");
  };
  const auto measure = [&](const char* name, int per_round, const std::function<void()>& round) {
    bench.measure({"launch", name, "us", 0, 0, 0, std::nullopt},
                  [&] { return Bench::seconds(round) * 1e6 / per_round; });
  };
  measure("kernels back to back, each", launches, [&] {
    for (int i = 0; i < launches; ++i) nothing();
    wait();
  });
  measure("one kernel and waiting for it", 1, [&] {
    nothing();
    wait();
  });
  const Graph many(bench, [&] {
    for (int i = 0; i < launches; ++i) nothing();
  });
  measure("graph of 1000 kernels, each", launches, [&] {
    many.launch();
    wait();
  });
  const Graph one(bench, nothing);
  measure("graph of one kernel and waiting for it", 1, [&] {
    one.launch();
    wait();
  });
  measure("waiting for an idle stream", launches, [&] {
    for (int i = 0; i < launches; ++i) wait();
  });
  measure("waiting for an idle device", launches, [&] {
    for (int i = 0; i < launches; ++i) device.synchronize("cuCtxSynchronize");
  });
}

void bench_overlap(const Bench& bench) {
  const Module module(bench.device(), kernel_text("basic.ptx"), "basic.ptx");
  const Pipeline pipeline(bench, module);
  for (const std::size_t streams : {1, 2, 4}) {
    bench.measure({"overlap",
                   fmt::format("copy, kernel and copy of 16 chunks over {}",
                               streams == 1 ? "one stream" : fmt::format("{} streams", streams)),
                   "ms", 0, 0, 0, std::nullopt},
                  [&] { return pipeline.seconds(streams) * 1e3; });
  }
}

}  // namespace cudaenv::gpu
