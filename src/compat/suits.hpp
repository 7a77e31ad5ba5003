#pragma once

#include <optional>

#include "compat/framework.hpp"

namespace cudaenv::compat {

// How an installed toolkit goes with a framework, in ascending order.
enum class Suitability {
  none,      // the framework does not work with it
  works,     // of the same major, or without the cuDNN that it is made for
  made_for,  // the pair that the framework's project names
};

// What is installed. Without `judges_cudnn` somebody chose cuDNN himself, and that counts.
struct InstalledToolkit {
  Version cuda;
  std::optional<Version> cudnn;  // nothing: it has none
  bool judges_cudnn = true;
};

// By the build of the framework that fits best. For a version that the tables do not have: none.
Suitability suitability(const Tables& tables, const FrameworkWish& wish,
                        const InstalledToolkit& installed);

}  // namespace cudaenv::compat
