#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cudaenv {

// What the user sees of work that takes long. A vocabulary, not a bar: the terminal display,
// the plain lines of a script and the recording of a test are three implementations.
// Every function may be called from any thread. `item` names an archive, e.g. "cuda_nvcc 12.1.105".
class Progress {
 public:
  virtual ~Progress() = default;

  // The whole job: bytes to fetch and bytes of archives to unpack, known before the first byte.
  virtual void job_begin(std::uint64_t /*fetch_bytes*/, std::uint64_t /*unpack_bytes*/) {}

  // A transfer starts at `already` bytes of `total` (0 where unknown). `from` is fit to show.
  virtual void fetch_begin(std::string_view /*item*/, std::uint64_t /*already*/,
                           std::uint64_t /*total*/, std::string_view /*from*/) {}
  virtual void fetch_data(std::string_view /*item*/, std::uint64_t /*bytes*/) {}
  // The bytes of this item so far count no longer: it starts again from zero.
  virtual void fetch_restart(std::string_view /*item*/) {}
  virtual void fetch_retry(std::string_view /*item*/, std::string_view /*why*/,
                           std::uint64_t /*delay_ms*/) {}
  virtual void fetch_end(std::string_view /*item*/) {}

  // `total` and `bytes` count compressed input, the same bytes that were fetched.
  virtual void unpack_begin(std::string_view /*item*/, std::uint64_t /*total*/) {}
  virtual void unpack_data(std::string_view /*item*/, std::uint64_t /*bytes*/) {}
  virtual void unpack_end(std::string_view /*item*/) {}

  // A step without a length ("linking 5,120 files"), and one line that stays.
  virtual void step(std::string_view /*what*/) {}
  virtual void note(std::string_view /*line*/) {}

  // The job is over, well or not: the display leaves the terminal as it found it.
  virtual void job_end() {}
};

}  // namespace cudaenv
