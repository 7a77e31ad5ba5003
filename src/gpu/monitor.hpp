#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/library_probe.hpp"
#include "gpu/nvml_reader.hpp"
#include "model/gpu_reading.hpp"
#include "sys/answering_child.hpp"

namespace cudaenv::gpu {

// What NVML said of every GPU at one moment.
struct Readings : LibraryProbe {
  std::optional<Version> driver;  // "580.95.05"
  std::vector<GpuReading> gpus;   // those read before it crashed or hung, too
};

// What a child reported, read as a stranger's: values that cannot be are left out.
Readings read_readings(const sys::ChildOutcome& outcome);

// Reads the GPUs again and again through NVML, which lives in a child process: where the driver
// crashes or hangs, that reading says so and the next one loads it anew.
class Monitor {
 public:
  using Detail = nvml::Detail;

  explicit Monitor(std::chrono::milliseconds limit);

  // Owners and names of processes are added where they are seen from here. A GPU that is lost keeps
  // the name that it had. Throws Interrupted.
  Readings read(Detail detail, const Interrupt& interrupt);

 private:
  void remember(Readings& readings);

  std::chrono::milliseconds limit_;
  sys::AnsweringChild child_;
  std::string file_;
  std::map<unsigned, GpuFacts> known_;  // by index
};

}  // namespace cudaenv::gpu
