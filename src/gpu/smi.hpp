#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.hpp"
#include "model/facts.hpp"
#include "sys/environment.hpp"

namespace cudaenv::gpu {

// What nvidia-smi says, for where the libraries do not answer.
struct SmiAnswer {
  enum class End { answered, not_found, refused, hung, not_asked };
  End end = End::not_asked;
  std::string program;  // its file
  int status = 0;       // 9: no driver; 6: no devices
  std::string said;     // where it refused: its words in one line, fit to show
  std::optional<Version> driver;
  std::optional<Version> cuda;  // of the banner
  // "Driver/library version mismatch": the library's version of the line that follows.
  std::optional<Version> library;
  std::vector<GpuFacts> gpus;
};

// One line of `--query-gpu=<smi_fields> --format=csv,noheader,nounits`; nothing for what is none.
struct SmiGpu {
  GpuFacts gpu;
  std::optional<Version> driver;
};
std::vector<SmiGpu> read_smi_query(std::string_view out);

// The two versions of the table that nvidia-smi prints without arguments, as drivers have spelt
// them: "Driver Version" alone up to 396, with "CUDA Version" from 410, in wider columns from 530,
// with another nvidia-smi version on WSL2, and as "KMD Version" and "CUDA UMD Version" from 610.
struct SmiBanner {
  std::optional<Version> driver;
  std::optional<Version> cuda;
};
SmiBanner read_smi_banner(std::string_view out);

// "NVML library version: 580.178" of what it prints where kernel module and library differ.
std::optional<Version> read_smi_library(std::string_view out);

// Asks the nvidia-smi of PATH, or WSL2's. Its status is honoured: it writes errors to stdout. A
// query field that the driver does not know is left out; the banner is read only where no query is
// answered. Killed when `limit` is over.
SmiAnswer ask_smi(const sys::Environment& environment, const Interrupt& interrupt,
                  std::chrono::milliseconds limit);

}  // namespace cudaenv::gpu
