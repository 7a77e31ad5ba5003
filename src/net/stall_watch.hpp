#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace cudaenv::net {

// Tells a transfer that has died from a slow one: in each stretch of `limit` some bytes must come,
// and `least_rate` bytes a second on average. However long it takes in all is nobody's business.
class StallWatch {
 public:
  using Clock = std::chrono::steady_clock;

  StallWatch(std::chrono::milliseconds limit, unsigned least_rate)
      : limit_(limit), least_rate_(least_rate) {}

  void begin() noexcept;
  void count(std::size_t bytes) noexcept;
  // "no byte came for 30 s", or nothing while all is well.
  std::optional<std::string> complaint(Clock::time_point now);

 private:
  std::chrono::milliseconds limit_;
  unsigned least_rate_;
  Clock::time_point last_byte_ = Clock::now();
  Clock::time_point stretch_ = Clock::now();
  std::uint64_t bytes_ = 0;  // since the stretch began
};

}  // namespace cudaenv::net
