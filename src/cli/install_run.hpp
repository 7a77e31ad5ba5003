#pragma once

#include "cli/session.hpp"
#include "commands/install.hpp"

namespace cudaenv::cli {

// Runs a plan and says what came of it. Asks on a terminal for the licence, unless `accept_eula`,
// and whether to take what there is where the source lacks an essential part. Returns the exit
// status; throws as run_install does.
int run_prepared(commands::PreparedInstall prepared, bool accept_eula, const Session& session);

}  // namespace cudaenv::cli
