#include "net/stall_watch.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv::net {

void StallWatch::begin() noexcept {
  last_byte_ = stretch_ = Clock::now();
  bytes_ = 0;
}

void StallWatch::count(std::size_t bytes) noexcept {
  last_byte_ = Clock::now();
  bytes_ += bytes;
}

std::optional<std::string> StallWatch::complaint(Clock::time_point now) {
  if (now - stretch_ < limit_) return std::nullopt;
  const double seconds = std::chrono::duration<double>(limit_).count();
  if (now - last_byte_ >= limit_) return fmt::format("no byte came for {} s", seconds);
  if (static_cast<double>(bytes_) < least_rate_ * seconds) {
    return fmt::format("only {} came in {} s", text::counted(bytes_, "byte"), seconds);
  }
  stretch_ = now;
  bytes_ = 0;
  return std::nullopt;
}

}  // namespace cudaenv::net
