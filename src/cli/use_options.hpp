#pragma once

#include "commands/use.hpp"

namespace CLI {
class App;
}

namespace cudaenv::cli {

// --with, --no-ld-path and --no-cudacxx, which commands that activate a toolkit have.
void add_use_options(CLI::App& app, commands::UseRequest& request);

}  // namespace cudaenv::cli
