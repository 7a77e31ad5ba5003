#pragma once

#include <optional>
#include <vector>

#include "compat/finding.hpp"
#include "model/run_trace.hpp"

namespace cudaenv::compat {

// Means over the part of a run in which its GPUs worked: from the first sample with load to the
// last. Shares are 0 to 1; absent where the chip does not tell.
struct RunFigures {
  std::vector<unsigned> gpus;  // that were judged
  double start_up = 0;         // seconds before any of them worked
  double judged = 0;           // seconds of that part
  std::size_t samples = 0;     // of that part
  std::optional<double> busy;  // time in which a kernel ran
  std::optional<double> busy_multiprocessors;
  std::optional<double> tensor_activity;
  std::optional<double> memory_bandwidth;
  std::optional<double> memory_peak;  // used of total, the most of all GPUs
  std::optional<double> power;        // of the limit
  std::optional<double> clock;        // of the highest
  std::optional<double> link;         // the busier direction of PCIe, of what the link can carry
  double hot = 0;                     // share of samples in which heat held the clocks back
  double capped = 0;                  // in which power did
  double processors = 0;
  double busiest_thread = 0;
  double waiting = 0;  // share of samples in which a thread of the run waited for a disk
  std::optional<double> io_pressure;
  std::optional<double> read_rate;  // bytes a second
};

RunFigures figures_of(const RunTrace& trace);

// What held the run back, with figures and remedies. The first is the verdict:
//   run.too-short, run.no-figures, run.gpu-unused, run.start-up, run.heat, run.power, run.gpu,
//   run.gpu-memory, run.launches, run.transfers, run.processor, run.disk, run.unclear
// then what is worth knowing besides: run.memory-full, and verdicts that came second.
// The limits are ours, set so that each cause has its own mark; docs/diagnose.md has them.
std::vector<Finding> judge_run(const RunTrace& trace);

}  // namespace cudaenv::compat
