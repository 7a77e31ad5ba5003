#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commands/host.hpp"

namespace cudaenv::commands {

struct UninstallRequest {
  std::string spec;    // a prefix, or an add-on with `from`
  std::string from;    // the prefix that an add-on is taken out of
  bool force = false;  // even with files of the user in it, even where the default leads to it
};

struct UninstallResult {
  std::string name;
  std::filesystem::path prefix;
  std::string add_on;  // what was taken out of it; empty: the prefix itself
  bool default_removed = false;
  std::uint64_t freed_bytes = 0;  // by collecting the store
};

// Removes a prefix with our receipt, and what no other prefix uses from the store. Refuses, without
// `force`, when the default link leads to it or when it holds files that cudaenv did not put there.
UninstallResult uninstall(const UninstallRequest& request, const Host& host);

}  // namespace cudaenv::commands
