#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::cli {

// The whole of the terminal on stdout, for as long as it lives; then what was there before is back.
class LiveScreen {
 public:
  LiveScreen();
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  unsigned width() const { return width_; }
  unsigned height() const { return height_; }
  void draw(const std::vector<std::string>& lines) const;

  enum class Event { time_over, resized, quit };
  // Until then, the next change of its size, or the key q. Throws Interrupted.
  Event wait(std::chrono::steady_clock::time_point then, const Interrupt& interrupt);

 private:
  bool take_size();  // whether it changed

  sys::KeyInput keys_;
  unsigned width_ = 0;
  unsigned height_ = 0;
};

}  // namespace cudaenv::cli
