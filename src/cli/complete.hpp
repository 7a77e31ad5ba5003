#pragma once

#include <string>
#include <vector>

#include "cli/session.hpp"

namespace cudaenv::cli {

struct Candidate {
  std::string value;
  std::string meaning;
};

// What could stand in the place of the last word, the others being there. Commands and options are
// those that were declared; what an argument takes is known by its name. Empty where any file or
// command could stand.
std::vector<Candidate> candidates(const std::vector<std::string>& words,
                                  const std::vector<Command>& commands, Session& session);

}  // namespace cudaenv::cli
