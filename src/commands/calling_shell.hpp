#pragma once

#include <string>

#include "activate/render.hpp"
#include "commands/host.hpp"

namespace cudaenv::commands {

// The shell that code is written for: the one that is named, else the process above this one,
// else what SHELL names. Programs that only start others, such as sudo, are seen through. Throws
// Error(usage) for an unknown name, and where nothing tells.
activate::Shell calling_shell(const std::string& named, const Host& host);

// The same, but sh where the other throws.
activate::Shell guessed_shell(const std::string& named, const Host& host);

}  // namespace cudaenv::commands
