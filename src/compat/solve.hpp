#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compat/framework.hpp"

namespace cudaenv::compat {

// What is known of the machine; what is absent does not decide.
struct Machine {
  std::optional<DriverFacts> driver;
  std::vector<GpuFacts> gpus;
  std::optional<Version> glibc;
  std::vector<CompilerFacts> compilers;  // the first is what nvcc takes by itself
  std::optional<Version> python;
  bool by_ccbin = false;  // NVCC_CCBIN names the first
  // What an nvcc takes then that does not read it.
  std::optional<CompilerFacts> without_ccbin = {};

  // What the toolkit's nvcc takes by itself; nothing where it finds none.
  std::optional<CompilerFacts> taken_by(const Version& toolkit) const;
};

struct Question {
  Machine machine;
  std::optional<FrameworkWish> framework;
  std::vector<Version> toolkits;  // that can be had, in any order
  std::vector<Version> cudnn;     // likewise; "8.9.7" or "8.9.7.29"
};

// A toolkit that was not taken, and the first reason against it.
struct Rejection {
  Version toolkit;
  std::string reason;
};

struct Answer {
  std::optional<Version> toolkit;  // nothing where none will do
  std::optional<Version> cudnn;    // nothing where the framework wants none
  bool toolkit_needed = true;      // false: the framework's package brings CUDA, a driver is enough
  std::string framework_line;      // what to type for the framework; empty without one
  std::vector<std::string> why;    // why this one, line by line
  std::vector<Rejection> newer;    // newest first: what would have been newer
  std::vector<Finding> findings;   // what still holds of the choice
};

// The newest toolkit on which nothing fails; among those with what works in full before those with
// less: a native driver, code for every GPU, a host compiler that fits.
Answer solve(const Tables& tables, const Question& question);

}  // namespace cudaenv::compat
