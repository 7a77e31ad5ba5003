#pragma once

#include "cli/session.hpp"
#include "commands/install.hpp"

namespace cudaenv::cli {

struct InstallRun {
  bool accept_eula = false;
  bool selftest = true;  // run kernels with it at the end where there is a GPU
};

// Runs a plan and says what came of it. Asks on a terminal for the licence, unless it is accepted,
// and whether to take what there is where the source lacks an essential part. Returns the exit
// status; throws as run_install does.
int run_prepared(commands::PreparedInstall prepared, const InstallRun& options,
                 const Session& session);

}  // namespace cudaenv::cli
