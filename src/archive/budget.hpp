#pragma once

#include <cstdint>

#include "archive/unpack.hpp"

namespace cudaenv::archive {

// Holds an archive to its limits while it is unpacked.
class Budget {
 public:
  Budget(const Limits& limits, std::uint64_t packed_size);

  // Each throws Error(corrupt) once the limits are passed.
  void add_entry();
  void add_name(std::uint64_t count);     // bytes of a path or a link's target
  void add_bytes(std::uint64_t count);    // of files, told before they are written
  void add_decoded(std::uint64_t count);  // of the stream that holds files, headers and padding

 private:
  const Limits limits_;
  std::uint64_t most_by_ratio_;
  std::uint64_t most_decoded_;
  std::uint64_t entries_ = 0;
  std::uint64_t name_bytes_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t decoded_ = 0;
};

}  // namespace cudaenv::archive
