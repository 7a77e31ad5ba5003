#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "commands/host.hpp"
#include "compat/finding.hpp"
#include "compat/framework.hpp"

namespace cudaenv::commands {

struct CheckRequest {
  std::string spec;       // the toolkit; empty: the one that is active here
  std::string framework;  // "tensorflow==2.13"; empty: none
  std::string python;     // to ask; empty: the active environment's, else with `framework` python3
  std::chrono::seconds limit{120};  // for the answer of a Python
};

// One thing that has to fit, and what the rules say of it.
struct CheckedLayer {
  std::string name;     // "toolkit", "driver", "gpu", "compiler", "glibc", "cudnn", ...
  std::string verdict;  // "native", "compiled", "fits", ...: a word of the rule
  std::string what;     // that was judged: "NVIDIA H200, sm_90"
  std::vector<compat::Finding> findings;
};

struct CheckResult {
  std::optional<Version> toolkit;
  std::string path;       // where it is installed; empty: it is not
  std::string framework;  // "tensorflow==2.13"; empty: none
  std::string python;     // that was asked; empty: none
  std::vector<CheckedLayer> layers;
  std::string tables_date;

  compat::Severity worst() const;
};

// `check`: whether a toolkit works on this machine, and with a framework. Loads the driver and runs
// Python in children with a time limit; changes nothing. Throws Error(usage) for what was mistyped,
// Error(missing) where no toolkit is meant.
CheckResult check(const CheckRequest& request, const Host& host);

}  // namespace cudaenv::commands
