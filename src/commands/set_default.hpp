#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "commands/host.hpp"

namespace cudaenv::commands {

struct DefaultRequest {
  std::string spec;    // empty with neither unset: only tell
  bool unset = false;  // remove the link
  bool force = false;  // a link that is not ours may be replaced or removed
  bool system = false;
};

struct DefaultResult {
  std::filesystem::path link;
  std::optional<std::filesystem::path> before;  // where the link led
  std::optional<std::filesystem::path> after;
};

// Moves, removes or tells the default link of the root that this user writes to.
DefaultResult set_default(const DefaultRequest& request, const Host& host);

}  // namespace cudaenv::commands
