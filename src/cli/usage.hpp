#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/session.hpp"

namespace CLI {
class Error;
}

namespace cudaenv::cli {

// What was wrong with the arguments, which `app` has just refused: in our form, with what was
// probably meant. `commands` are those that `app` knows.
Error usage_error(const CLI::Error& refusal, const CLI::App& app,
                  const std::vector<std::string>& arguments, const std::vector<Command>& commands);

}  // namespace cudaenv::cli
