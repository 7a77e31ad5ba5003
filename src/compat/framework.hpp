#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compat/finding.hpp"
#include "compat/tables.hpp"

namespace cudaenv::compat {

// "pytorch", "pytorch==2.1", "torch==2.1.2": a framework as it is typed.
struct FrameworkWish {
  std::string name;                // as the tables call it
  std::optional<Version> version;  // nothing: the newest that is stable

  // Knows what packages and people call it (torch, tf, ort, ...). Throws Error(usage) with what is
  // known for a word that is no framework.
  static FrameworkWish parse(const Tables& tables, std::string_view text);
  std::string text() const;  // "pytorch==2.1"
};

// What the tables call the framework that a package of this name may be ("cupy-cuda12x": "cupy").
std::string framework_of_package(std::string_view package);

// Every framework of the tables, by name.
std::vector<std::string> framework_names(const Tables& tables);

// The rows that speak of the wish: one for each CUDA that the version is built for, stable ones
// first. Without a version those of the newest that is stable.
std::vector<const FrameworkRow*> rows_for(const Tables& tables, const FrameworkWish& wish);

// What a framework meets. What is absent is not judged.
struct Surroundings {
  std::optional<Version> toolkit;
  std::optional<Version> cudnn;
  std::optional<DriverFacts> driver;
  std::vector<GpuFacts> gpus;
  std::optional<Version> python;
};

// One row with what it meets. No finding: nothing speaks against it.
std::vector<Finding> judge_row(const Tables& tables, const FrameworkRow& row,
                               const Surroundings& surroundings);

struct FrameworkVerdict {
  bool known = false;                 // the tables have the version
  const FrameworkRow* row = nullptr;  // the one that fits best
  std::vector<Finding> findings;      // of that row, or why there is none
};

// The row that fits best: a build for the toolkit asked about, then the fewest errors, warnings and
// notes, then as rows_for orders them.
FrameworkVerdict judge_framework(const Tables& tables, const FrameworkWish& wish,
                                 const Surroundings& surroundings);

// What to type to install it with this CUDA; empty where the tables have no recipe.
std::string install_line(const Tables& tables, const FrameworkRow& row, const Version* version,
                         const Version& cuda);

}  // namespace cudaenv::compat
