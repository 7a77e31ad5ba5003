#pragma once

#include <string>

#include "cli/style.hpp"
#include "commands/install.hpp"

namespace cudaenv::cli {

// A plan as --dry-run shows it: every archive with what becomes of it, and the sums.
std::string plan_text(const commands::PreparedInstall& prepared, const Style& style);
std::string plan_json(const commands::PreparedInstall& prepared);

}  // namespace cudaenv::cli
