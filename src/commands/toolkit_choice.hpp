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

// The toolkit that a spec or a folder (with a '/' in it) means. Without a spec what holds here, as
// for every command (Toolkits::chosen); toolkits that others installed count too: what CUDA_HOME
// names before the default, and the one that the default link leads to. Nothing where there is
// none. Throws Error(missing) for what is named and not there.
std::optional<ChosenToolkit> chosen_toolkit(const std::string& spec, const Host& host);

}  // namespace cudaenv::commands
