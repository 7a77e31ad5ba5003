#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "model/arithmetic.hpp"
#include "model/failure.hpp"

namespace cudaenv::gpu {

// One figure: the median of several rounds after a warm-up, with its quartiles.
struct Figure {
  std::string group;  // "latency", "bandwidth", "launch", "overlap", "product", "batch",
                      // "between GPUs"
  std::string name;   // "host to device, pinned, 64 KiB"
  std::string unit;   // "us", "GB/s", "TFLOP/s", "x"
  double median = 0;
  double low = 0;              // first quartile
  double high = 0;             // third
  std::optional<double> peak;  // what the chip could reach at its highest clock, in the same unit
};

// Another GPU, to which copies are measured.
struct Peer {
  int number = 0;
  std::string uuid;
};

struct BenchRequest {
  std::filesystem::path toolkit;  // for cuBLAS; empty: no products
  std::string uuid;               // empty: the first GPU
  std::vector<Peer> peers;        // measured too where there is a uuid, in as much time again
  ByArithmetic operations;        // for each clock and multiprocessor, for the products' peaks
  bool quick = false;             // smaller sizes and fewer rounds: seconds instead of a minute
  std::chrono::milliseconds limit = std::chrono::minutes(9);
};

struct BenchOutcome {
  std::vector<std::pair<std::string, std::string>> facts;  // "pcie_generation" -> "4 of 5"
  std::vector<Figure> figures;
  std::vector<Check> checks;  // each group's; a failed one says why its figures are missing
};

// Measures one GPU in a child process, and its copies to others in one more. What fails is told in
// the checks.
BenchOutcome run_bench(const BenchRequest& request, const Interrupt& interrupt);

// Median and quartiles; `samples` is not empty.
void summarize(std::vector<double> samples, Figure& figure);

}  // namespace cudaenv::gpu
