#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.hpp"
#include "model/facts.hpp"
#include "sys/environment.hpp"

namespace cudaenv::doctor {

// A GPU as a framework sees it.
struct FrameworkDevice {
  std::string name;
  std::optional<ComputeCapability> capability;
  std::string error;  // of a first small computation on it; empty: it worked, or was not tried
};

// What a framework said of itself in its own Python. Texts are fit to show.
struct FrameworkReport {
  std::string module;  // "torch", "tensorflow", "jax"
  bool imported = false;
  std::string failed;       // why the import failed
  std::string version;      // "2.1.2+cu118"
  std::string cuda;         // that it was built for: "11.8"; empty: none, or it does not tell
  std::string file;         // where it lies
  std::string cudnn;        // "8902" of PyTorch, "8" of TensorFlow
  std::string cudnn_error;  // why it refuses the cuDNN that it met
  std::vector<ComputeCapability> compiled;  // that it holds code for; empty: it does not tell
  std::vector<FrameworkDevice> devices;
  std::optional<bool> available;  // whether it sees a GPU; nothing: it did not come so far
  std::string error;              // the real one behind `false`
};

struct Package {
  std::string name;  // in lower case, with '-'
  std::string version;
};

struct PythonReport {
  enum class End {
    done,
    not_found,  // no such program
    refused,    // the kernel does not run it
    exited,     // in the middle
    crashed,
    timed_out,
    garbage,  // it printed something else than the report
  };
  End end = End::done;
  int status = 0;
  int signal = 0;
  // Where it printed garbage: what. Where it is a link to what is not there: to what.
  std::string detail;
  std::string importing;  // the module that it was at when it ended
  std::string version;    // of Python
  std::string executable;
  std::string prefix;  // of the environment
  std::vector<Package> packages;
  std::vector<std::string> modules;  // of torch, tensorflow and jax those that can be imported
  std::vector<FrameworkReport> frameworks;
  std::vector<std::string> loaded;  // libraries of NVIDIA that were loaded, by their files
  std::string said;                 // on stderr, the last 64 kB: foreign text

  const Package* package(std::string_view name) const;
};

// Reads the lines that python_probe.py prints. Throws Error(corrupt) for what it does not print.
PythonReport read_python_report(std::string_view text);

// Runs the probe in a Python with this environment. `modules` of torch, tensorflow and jax are
// imported; whatever they do is a value of the report.
PythonReport ask_python(const std::string& python, const std::vector<std::string>& modules,
                        const sys::Environment& environment, const Interrupt& interrupt,
                        std::chrono::milliseconds limit);

}  // namespace cudaenv::doctor
