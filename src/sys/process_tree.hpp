#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace cudaenv::sys {

// What a process and its descendants did since the look before. What one did that ended meanwhile
// is not counted.
struct TreeLook {
  double cpu_seconds = 0;
  double busiest_thread = 0;  // CPU seconds of the thread that had the most
  unsigned threads = 0;
  unsigned waiting = 0;                     // threads that wait in the kernel (state D)
  std::optional<std::uint64_t> bytes_read;  // from storage; nothing where the kernel does not say
  std::optional<std::uint64_t> bytes_written;
  std::set<std::uint32_t> pids;
};

// Reads /proc again and again.
class ProcessTree {
 public:
  explicit ProcessTree(std::uint32_t root) : root_(root) {}

  // Empty when the root has ended.
  TreeLook look();

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  // a number and when it started
  struct Bytes {
    std::uint64_t read = 0;
    std::uint64_t written = 0;
  };

  void look_at(std::uint32_t pid, TreeLook& look);
  void look_at_thread(const std::string& folder, std::uint32_t tid, TreeLook& look);
  void look_at_bytes(const Key& process, TreeLook& look);

  std::uint32_t root_;
  std::map<Key, std::uint64_t> ticks_;  // of each thread, at the former look
  std::map<Key, std::uint64_t> new_ticks_;
  std::map<Key, Bytes> bytes_;
  std::map<Key, Bytes> new_bytes_;
};

// Microseconds since the machine started in which some process waited for input or output; nothing
// where the kernel does not count them.
std::optional<std::uint64_t> io_pressure();

}  // namespace cudaenv::sys
