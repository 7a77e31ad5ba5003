#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "commands/host.hpp"
#include "compat/bottleneck.hpp"
#include "model/run_trace.hpp"
#include "sys/companion.hpp"

namespace cudaenv::commands {

struct DiagnoseRequest {
  std::vector<std::string> command;  // to run and watch; empty: `pid` is watched
  std::uint32_t pid = 0;
  std::chrono::milliseconds interval{500};
  std::optional<std::chrono::milliseconds> duration;  // how long a process is watched at most
};

struct DiagnoseResult {
  std::string what;  // "python3 train.py"
  std::uint32_t pid = 0;
  std::string began;  // UTC
  double seconds = 0;
  std::optional<sys::Ending> ending;  // of a command; a process that was only watched has none here
  RunTrace trace;
  compat::RunFigures figures;
  std::vector<compat::Finding> findings;  // the first is the verdict
};

// Runs the command, or watches the process until it ends, its time is over or the user interrupts,
// and looks at it and the GPUs each interval. Without GPUs the rest is watched all the same. Throws
// Error(missing) where there is no such command or process.
DiagnoseResult diagnose(const DiagnoseRequest& request, const Host& host);

}  // namespace cudaenv::commands
