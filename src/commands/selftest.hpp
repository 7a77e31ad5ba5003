#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/host.hpp"
#include "commands/toolkit_choice.hpp"
#include "gpu/selftest.hpp"
#include "model/facts.hpp"
#include "model/failure.hpp"

namespace cudaenv::commands {

struct SelftestRequest {
  std::string spec;  // a toolkit, also a folder that is none of ours; empty: active or default
  bool all = false;  // every installed toolkit
  std::vector<std::string> gpus;  // numbers or UUIDs; empty: all that are visible
  std::vector<gpu::Level> levels;
  std::optional<std::chrono::milliseconds> limit;  // for each process
};

// One level of one toolkit on one GPU.
struct LevelResult {
  std::string toolkit;     // empty where the level has to do with none
  std::optional<int> gpu;  // number; nothing: all of them together
  std::string level;       // "driver", ..., "peers", "nccl"
  std::vector<Check> checks;

  Verdict verdict() const;
  double milliseconds() const;
};

struct SelftestResult {
  std::vector<GpuFacts> gpus;  // that were tested
  std::vector<int> numbers;    // of each, as CUDA counts them
  std::vector<ChosenToolkit> toolkits;
  std::vector<LevelResult> levels;
  std::vector<std::string> notes;  // what was left out
  std::string skipped;             // why nothing was tested; empty: something was

  // Failed where a check failed; skipped where none was done.
  Verdict verdict() const;
};

// Runs the levels on each GPU and toolkit, each in processes of its own. A GPU or driver that is
// broken is a result; throws Error only for what was asked amiss.
SelftestResult selftest(const SelftestRequest& request, const Host& host);

// What `install` ends with: the driver and runtime levels of the toolkit that it has just
// published, on every GPU, with the verdict in the receipt. Nothing where there is no GPU.
std::optional<SelftestResult> prove_installed(const store::Layout& layout,
                                              const std::filesystem::path& prefix,
                                              const Host& host);

// "driver,runtime"; "full" is all. Throws Error(usage) with a suggestion.
std::vector<gpu::Level> parse_levels(const std::string& text);
// All but memory, which takes what is free on the GPU.
std::vector<gpu::Level> usual_levels();

}  // namespace cudaenv::commands
