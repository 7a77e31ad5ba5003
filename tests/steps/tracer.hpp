#pragma once

#include <functional>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

#include "steps/disk_call.hpp"

namespace cudaenv::test {

// Runs a command with all its threads and children stopped at each system call.
class Tracer {
 public:
  // Before a call that changes the disk; false kills the command instead.
  using Before = std::function<bool(DiskCall&)>;
  // After one that succeeded.
  using After = std::function<void(const DiskCall&)>;

  Tracer(Before before, After after);

  // The command's exit status as a shell gives it: 128 + signal where one ended it. Throws
  // std::runtime_error where this process may not trace.
  int run(const std::vector<std::string>& command);

 private:
  void start(const std::vector<std::string>& command);
  void on_syscall(pid_t thread);

  Before before_;
  After after_;
  pid_t child_ = -1;
  std::map<pid_t, DiskCall> under_way_;
};

}  // namespace cudaenv::test
