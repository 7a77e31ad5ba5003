#pragma once

#include "cli/session.hpp"
#include "commands/machine_request.hpp"

namespace cudaenv::cli {

// --driver and --gpu: another machine's.
void add_driver_options(CLI::App& app, std::string& driver, std::vector<std::string>& gpus);

// These, --glibc and --gcc, and --sysroot with --env: all that another machine is named by.
void add_machine_options(CLI::App& app, commands::MachineRequest& request);

}  // namespace cudaenv::cli
