#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cudaenv::sys {

// How a command ended.
struct Ending {
  int status = 0;  // exit status, or 128 + signal
  int signal = 0;  // what killed it, or 0
};

// A command that runs with our terminal, streams and process group while we do something else.
// While it lives, signals that would end us are the command's affair: one that comes from the
// terminal has reached it already, one that somebody sends us is sent on. One at a time.
class Companion {
 public:
  // PATH is looked up in `environment`. Throws Error(missing) where there is no such program.
  Companion(std::vector<std::string> words,
            const std::map<std::string, std::string, std::less<>>& environment);
  // Ends the command where it still runs.
  ~Companion();
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  pid_t pid() const { return pid_; }
  // Waits until then at most; nothing where it still runs.
  std::optional<Ending> wait_until(std::chrono::steady_clock::time_point then);

 private:
  pid_t pid_ = -1;  // -1: it has ended
  std::optional<Ending> ending_;
};

// Ends this process as the signal would, so that the parent sees the true cause.
[[noreturn]] void die_of(int signal);

}  // namespace cudaenv::sys
