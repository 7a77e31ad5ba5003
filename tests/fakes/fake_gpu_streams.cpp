// What the benchmark asks of the pretended GPUs: streams that do all at once, events that take the
// processor's time, and graphs that forget.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

extern "C" {

int cuMemAlloc_v2(std::uint64_t* memory, std::size_t bytes);

int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::malloc(bytes);
  return 0;
}

int cuMemFreeHost(void* memory) {
  std::free(memory);
  return 0;
}

int cuMemAllocManaged(std::uint64_t* memory, std::size_t bytes, unsigned) {
  return cuMemAlloc_v2(memory, bytes);
}

int cuMemPrefetchAsync(std::uint64_t, std::size_t, int, void*) { return 0; }

int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void*) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}

int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void*) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}

int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return 0;
}

int cuStreamSynchronize(void*) { return 0; }

int cuEventCreate(void** event, unsigned) {
  *event = new Clock::time_point(Clock::now());
  return 0;
}

int cuEventRecord(void* event, void*) {
  *static_cast<Clock::time_point*>(event) = Clock::now();
  return 0;
}

int cuEventSynchronize(void*) { return 0; }

int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  const std::chrono::duration<float, std::milli> passed =
      *static_cast<Clock::time_point*>(end) - *static_cast<Clock::time_point*>(start);
  *milliseconds = passed.count();
  return 0;
}

int cuStreamBeginCapture_v2(void*, int) { return 0; }

int cuStreamEndCapture(void*, void** graph) {
  *graph = nullptr;
  return 0;
}

int cuGraphInstantiate_v2(void** executable, void*, void**, char*, std::size_t) {
  *executable = nullptr;
  return 0;
}

int cuGraphLaunch(void*, void*) { return std::getenv("FAKE_GPU_GRAPHS_FAIL") ? 801 : 0; }

}  // extern "C"
