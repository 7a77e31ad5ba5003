#pragma once

#include <mutex>

#include "base/progress.hpp"

namespace cudaenv::cli {

// Progress where nobody watches a terminal: a line when something begins or ends, never more than
// a few a component. Silent when `quiet`, but for notes.
class PlainProgress final : public Progress {
 public:
  explicit PlainProgress(bool quiet) : quiet_(quiet) {}

  void job_begin(std::uint64_t fetch_bytes, std::uint64_t unpack_bytes) override;
  void fetch_begin(std::string_view item, std::uint64_t already, std::uint64_t total,
                   std::string_view from) override;
  void fetch_retry(std::string_view item, std::string_view why, std::uint64_t delay_ms) override;
  void unpack_end(std::string_view item) override;
  void step(std::string_view what) override;
  void note(std::string_view line) override;

 private:
  void say(const std::string& line);
  bool quiet_;
  std::mutex mutex_;
};

}  // namespace cudaenv::cli
