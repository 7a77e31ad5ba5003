#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/host.hpp"

namespace cudaenv::commands {

// A toolkit that is used where it lies, whoever installed it.
struct ChosenToolkit {
  std::string name;  // of the prefix, or the folder
  std::filesystem::path path;
};

// The toolkit that a spec or a folder (with a '/' in it) means. Throws Error(missing).
ChosenToolkit named_toolkit(const std::string& spec, const Host& host);

// The folder that CUDA_HOME names, else the default's, also where no receipt is in it.
std::optional<ChosenToolkit> active_or_default(const Host& host);

}  // namespace cudaenv::commands
