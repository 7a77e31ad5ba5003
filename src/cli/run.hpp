#pragma once

#include <string>
#include <vector>

#include "cli/session.hpp"

namespace cudaenv::cli {

using MakeDownloader = decltype(commands::Host::make_downloader);

// Parses the arguments (without the program's name), runs the command, prints its failure. The
// one place that catches an Error. Returns the exit status.
int run(const std::vector<std::string>& arguments, const std::vector<Command>& commands,
        const MakeDownloader& make_downloader);

// The commands that answer in an instant and link neither curl nor ssl nor archive.
const std::vector<Command>& light_commands();
// All commands, in the order of the overview.
const std::vector<Command>& all_commands();

// Whether these arguments need the full program: another command than the light ones, help,
// or an option that asks the network.
bool needs_full(const std::vector<std::string>& arguments);

// Becomes cudaenv-full, which lies beside this program or in ../libexec/cudaenv. Returns an exit
// status only where that fails.
int become_full(const std::vector<std::string>& arguments);

// Prints "cudaenv 0.1.0".
extern const char* const version_text;

}  // namespace cudaenv::cli
