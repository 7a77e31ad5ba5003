#pragma once

#include <filesystem>
#include <string>

#include "commands/host.hpp"

namespace cudaenv::commands {

struct LocalResult {
  std::filesystem::path file;
  bool changed = false;
  bool installed = false;  // whether there is a toolkit that it means
};

// `local`: writes the spec into the `.cudaenv` of the host's folder, and leaves all else that it
// says. Throws Error(usage) for what is no spec, and as parse_project does for a file that has
// faults besides.
LocalResult set_local(const std::string& spec, const Host& host);

}  // namespace cudaenv::commands
