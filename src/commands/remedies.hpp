#pragma once

#include <string>
#include <vector>

#include "model/failure.hpp"

namespace cudaenv::commands {

// What to do about a failure of the self-test: what it means, then what to type, one line each. By
// the code where that says enough, else by the layer.
std::vector<std::string> remedies(const Failure& failure);

}  // namespace cudaenv::commands
