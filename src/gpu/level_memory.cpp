#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "base/text.hpp"
#include "gpu/kernel_checks.hpp"
#include "gpu/levels.hpp"
#include "gpu/memory_pattern.hpp"

namespace cudaenv::gpu {
namespace {

// Small enough that a kernel over it is done long before a display's time limit.
constexpr std::size_t chunk_bytes = std::size_t{1} << 30;
constexpr std::size_t least_chunk = std::size_t{1} << 24;
// What the driver needs to load code and run it.
constexpr std::size_t reserve = std::size_t{256} << 20;
constexpr std::size_t pair_bytes = 16;

// As the kernel `compare` counts them: differing words, then one of them and what it held.
using Findings = std::array<std::uint64_t, 3>;

// All memory that is free, in chunks. A chunk that is not to be had is tried at half the size: free
// memory need not lie together.
std::vector<Memory> take_all(const Device& device) {
  std::vector<Memory> chunks;
  std::size_t size = chunk_bytes;
  while (size >= least_chunk) {
    const std::size_t free = device.free_memory();
    if (free < reserve + least_chunk) break;
    size = std::min(size, (free - reserve) / least_chunk * least_chunk);
    try {
      chunks.emplace_back(device, size);
    } catch (const CheckFailed& refused) {
      if (refused.failure.layer != Layer::busy) throw;
      size /= 2;
    }
  }
  if (chunks.empty()) {
    throw CheckSkipped(
        fmt::format("only {} are free on the GPU", text::bytes(device.free_memory())));
  }
  return chunks;
}

class Sweep {
 public:
  Sweep(const Device& device, const Module& module, const std::vector<Memory>& chunks)
      : device_(device), module_(module), chunks_(chunks), findings_(device, sizeof(Findings)) {
    for (const auto& chunk : chunks) bytes_ += chunk.bytes();
    const int processors = device.attribute(Attribute::multiprocessors);
    shape_ = {static_cast<unsigned>(std::clamp(processors, 1, 4096)) * 32, 256};
  }

  std::uint64_t bytes() const { return bytes_; }

  // Writes all of it before any of it is read: a chunk that is another one's alias shows.
  std::string run(const MemoryPattern& pattern) {
    const auto start = std::chrono::steady_clock::now();
    findings_.fill(0);
    each_chunk([&](const Memory& chunk, std::uint64_t pairs, std::uint64_t first) {
      module_.launch("fill", shape_, chunk.address(), pairs, first, pattern.kind,
                     pattern.parameter);
    });
    if (device_.plant() == Plant::wrong) {
      device_.synchronize("writing the pattern");
      chunks_[chunks_.size() / 2].flip_bit();
    }
    each_chunk([&](const Memory& chunk, std::uint64_t pairs, std::uint64_t first) {
      module_.launch("compare", shape_, chunk.address(), pairs, first, pattern.kind,
                     pattern.parameter, findings_.address());
    });
    device_.synchronize("comparing the memory");
    Findings found{};
    findings_.read(found.data(), sizeof found);
    if (found[0] != 0) throw CheckFailed({Layer::hardware, 0, "", differing(pattern, found)});
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    seconds_ += passed.count();
    return rate(1, passed.count());
  }

  // Written and read, over the time of all patterns.
  std::string total(std::size_t patterns) const {
    return fmt::format("{} with {} patterns, {}", text::bytes(bytes_), patterns,
                       rate(patterns, seconds_));
  }

 private:
  template <typename Action>
  void each_chunk(const Action& action) const {
    std::uint64_t first = 0;
    for (const auto& chunk : chunks_) {
      action(chunk, std::uint64_t{chunk.bytes() / pair_bytes}, first);
      first += chunk.bytes() / sizeof(std::uint64_t);
    }
  }

  std::string rate(std::size_t patterns, double seconds) const {
    const double moved = 2.0 * static_cast<double>(bytes_) * static_cast<double>(patterns);
    return fmt::format("{:.0f} GB/s", moved / seconds / 1e9);
  }

  std::string differing(const MemoryPattern& pattern, const Findings& found) const {
    std::uint64_t byte = found[1] * sizeof(std::uint64_t);
    DevicePointer address = 0;
    for (const auto& chunk : chunks_) {
      address = chunk.address() + byte;
      if (byte < chunk.bytes()) break;
      byte -= chunk.bytes();
    }
    return fmt::format(
        "{} of {} words are not what was written; one at {:#x}: expected {:016x}, got {:016x}",
        found[0], bytes_ / sizeof(std::uint64_t), address, pattern.word(found[1]), found[2]);
  }

  const Device& device_;
  const Module& module_;
  const std::vector<Memory>& chunks_;
  Memory findings_;
  Shape shape_;
  std::uint64_t bytes_ = 0;
  double seconds_ = 0;
};

}  // namespace

void memory_level(Checks& checks, const LevelRequest& request) {
  const auto device = open_device(checks, request.uuid);
  if (!device) return;
  std::unique_ptr<Module> module;
  std::vector<Memory> chunks;
  checks.run("allocate", [&] {
    module = std::make_unique<Module>(*device, kernel_text("memory.ptx"), "memory.ptx");
    chunks = take_all(*device);
    std::uint64_t bytes = 0;
    for (const auto& chunk : chunks) bytes += chunk.bytes();
    return fmt::format("{} in {}", text::bytes(bytes), text::counted(chunks.size(), "chunk"));
  });
  if (chunks.empty()) return;
  Sweep sweep(*device, *module, chunks);
  bool all = true;
  const auto& patterns = memory_patterns();
  for (const auto& pattern : patterns) {
    all = checks.run(pattern.name, [&] { return sweep.run(pattern); }) && all;
  }
  if (all) checks.run("all", [&] { return sweep.total(patterns.size()); });
  health_check(checks, request.uuid);
}

}  // namespace cudaenv::gpu
