#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.hpp"

namespace cudaenv::sys {

// Where work in a child process says what it finds. Each line is with the parent when line()
// returns, so that what was found before a crash or a hang is not lost.
class ChildReport {
 public:
  explicit ChildReport(int fd) : fd_(fd) {}
  // `text` holds no newline.
  void line(std::string_view text) const;

 private:
  int fd_;
};

struct ChildLimit {
  std::chrono::milliseconds time{std::chrono::seconds(10)};
  std::size_t report_bytes = 1 << 20;  // what is reported beyond is dropped
};

struct ChildOutcome {
  enum class End {
    done,       // the work came to its end
    exited,     // the process ended in the middle: something called exit, or threw
    crashed,    // a signal killed it
    timed_out,  // it was killed when time was over
  };
  End end = End::done;
  int status = 0;                  // exit status, where it exited
  int signal = 0;                  // what killed it, where it crashed
  std::vector<std::string> lines;  // reported, each whole
  std::string said;  // what it printed on stdout and stderr, the first 4 kB: foreign text

  bool done() const { return end == End::done; }
};

// Does `work` in a child process with a time limit, for what may crash or hang whoever does it:
// a broken driver, a library that is none. The child has no terminal input and its own process
// group, leaves no core file, and dies with the parent; it and its children are killed when time is
// over or the user interrupts (then throws Interrupted). Call it while no other thread runs.
// Throws Error(system) only where no process can be made.
ChildOutcome run_in_child(const std::function<void(const ChildReport&)>& work,
                          const ChildLimit& limit, const Interrupt& interrupt);

}  // namespace cudaenv::sys
