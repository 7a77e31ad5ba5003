#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "commands/machine_request.hpp"
#include "compat/finding.hpp"

namespace cudaenv::commands {

struct CheckRequest {
  std::string spec;       // the toolkit, or its path; empty: the one that is active here
  std::string framework;  // "tensorflow==2.13"; empty: none
  std::string python;     // to ask; empty: the active environment's, else with `framework` python3
  std::chrono::seconds limit{120};  // for the answer of a Python
  MachineRequest machine{};
};

// One thing that has to fit, and what the rules say of it.
struct CheckedLayer {
  std::string name;      // "toolkit", "driver", "gpu", "compiler", "glibc", "cudnn", "nccl", ...
  std::string verdict;   // "native", "compiled", "fits", ...: a word of the rule
  std::string what;      // that was judged: "NVIDIA H200, sm_90"
  bool assumed = false;  // it is another machine's, as the request says
  std::vector<compat::Finding> findings;
};

struct CheckResult {
  std::string root;  // that was judged: "/" or the sysroot
  std::optional<Version> toolkit;
  std::string path;       // where it is installed; empty: it is not
  std::string framework;  // "tensorflow==2.13"; empty: none
  std::string python;     // that was asked; empty: none
  std::vector<CheckedLayer> layers;
  std::string tables_date;

  compat::Severity worst() const;
};

// `check`: whether a toolkit works on this machine, on one that is assumed or on another root, and
// with a framework. Loads the driver and runs Python in children with a time limit; of another
// root nothing is loaded or run. Changes nothing. Throws Error(usage) for what was mistyped,
// Error(missing) where no toolkit is meant.
CheckResult check(const CheckRequest& request, const Host& host);

}  // namespace cudaenv::commands
