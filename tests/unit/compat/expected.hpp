#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compat/solve.hpp"

namespace cudaenv::compat {

// One cell of a matrix of expected.txt, or one line of a list.
struct Case {
  std::string held;                // what the matrix holds still; empty without
  std::string row;                 // "535.104.05"
  std::string column;              // "12.4.1"
  std::string expected;            // "N"
  std::vector<std::string> words;  // of a list's line
  std::string text() const;        // for a failure's message
};

// Of all matrices, or the list, of this kind: "driver", "gpu", "framework", ...
std::vector<Case> expected_cases(std::string_view kind);

// "NVIDIA_H200+Tesla_T4" as GPUs; none of ".".
std::vector<GpuFacts> gpus_of(std::string_view words);
DriverFacts driver_of(std::string_view version);
// Nothing of ".".
std::optional<Version> version_of(std::string_view word);

}  // namespace cudaenv::compat
