#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "commands/host.hpp"
#include "commands/toolkit_choice.hpp"
#include "compat/baseline.hpp"
#include "gpu/bench.hpp"
#include "model/facts.hpp"

namespace cudaenv::commands {

struct BenchRequest {
  std::string spec;               // the toolkit whose cuBLAS is measured; empty: active or default
  std::vector<std::string> gpus;  // numbers or UUIDs; empty: all that are visible
  bool quick = false;
  bool baseline = false;  // with what is known of the GPU's board
  std::string against;    // with that of this board instead: "A100 80GB PCIe"; empty: its own
  std::optional<std::chrono::milliseconds> limit;  // for each GPU
};

struct MeasuredGpu {
  int number = 0;
  GpuFacts facts;
  gpu::BenchOutcome outcome;
  std::optional<compat::BoardFigures> board;  // to compare with; nothing: not asked or not known
};

struct BenchResult {
  std::optional<ChosenToolkit> toolkit;
  std::vector<MeasuredGpu> gpus;
  std::string measured_at;  // UTC, ISO
  std::string skipped;      // why nothing was measured; empty: something was
  bool compared = false;    // with boards

  bool failed() const;
};

// Measures each GPU in a process of its own. What fails is told in its checks. Throws Error(usage)
// for a board that no table has, or that may be several.
BenchResult bench(const BenchRequest& request, const Host& host);

}  // namespace cudaenv::commands
