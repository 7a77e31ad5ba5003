#pragma once

#include "commands/install.hpp"

namespace CLI {
class App;
}

namespace cudaenv::cli {

// --source, --mirror, --trust-mirror and --offline, which several commands have.
void add_source_options(CLI::App& app, commands::InstallRequest& request);

}  // namespace cudaenv::cli
