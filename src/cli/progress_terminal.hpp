#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/progress.hpp"
#include "cli/progress_screen.hpp"
#include "cli/style.hpp"

namespace cudaenv::cli {

// Progress that people watch: a few lines at the bottom of the terminal, redrawn ten times a
// second by a thread of its own while a job runs, gone when it ends.
class TerminalProgress final : public Progress {
 public:
  explicit TerminalProgress(const Style& style);
  ~TerminalProgress() override;

  void job_begin(std::uint64_t fetch_bytes, std::uint64_t unpack_bytes) override;
  void fetch_begin(std::string_view item, std::uint64_t already, std::uint64_t total,
                   std::string_view from) override;
  void fetch_data(std::string_view item, std::uint64_t bytes) override;
  void fetch_restart(std::string_view item) override;
  void fetch_retry(std::string_view item, std::string_view why, std::uint64_t delay_ms) override;
  void fetch_end(std::string_view item) override;
  void unpack_begin(std::string_view item, std::uint64_t total) override;
  void unpack_data(std::string_view item, std::uint64_t bytes) override;
  void unpack_end(std::string_view item) override;
  void step(std::string_view what) override;
  void note(std::string_view line) override;
  void job_end() override;

 private:
  ShownItem& item(std::string_view name);  // made where it is new
  void start();
  void redraw_until_stopped();
  void erase();
  void draw();
  void update_rate();

  Style style_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;
  bool running_ = false;
  Screen screen_;
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point rated_;
  std::uint64_t arrived_ = 0;  // bytes since the rate was last taken
  std::size_t drawn_ = 0;      // lines on the terminal now
};

}  // namespace cudaenv::cli
