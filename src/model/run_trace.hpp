#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/gpu_reading.hpp"

namespace cudaenv {

// What a run, a process and its children, did in one interval, and how the GPUs were at its end.
struct RunSample {
  double begin = 0;  // seconds since the watch began
  double end = 0;
  double processors = 0;      // CPU time of the run a second: 1 is one processor all the time
  double busiest_thread = 0;  // the same of its busiest thread, 0 to 1
  unsigned processes = 0;
  unsigned threads = 0;
  unsigned waiting = 0;  // threads that waited in the kernel, for a disk most often (state D)
  std::optional<double> read_rate;   // bytes a second that storage gave the run
  std::optional<double> write_rate;  // and took
  // Share of the interval in which some process of the machine waited for input or output.
  std::optional<double> io_pressure;
  std::vector<GpuReading> gpus;

  double seconds() const { return end - begin; }
};

// A run that was watched.
struct RunTrace {
  unsigned machine_processors = 1;  // that the run may use
  std::set<unsigned> gpus;  // indexes of those that list a process of the run; empty: none was seen
  std::string trouble;      // why the GPUs were not read, or no longer; empty: they were
  std::vector<RunSample> samples;
};

}  // namespace cudaenv
