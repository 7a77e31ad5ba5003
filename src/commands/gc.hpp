#pragma once

#include "commands/store_use.hpp"

namespace cudaenv::commands {

struct GcRequest {
  bool dry_run = false;
  bool system = false;
};

// Removes from the root that this user writes to what no prefix uses: store entries, downloads,
// leftovers of killed commands. Throws Error(busy) while an install is under way.
Collected gc(const GcRequest& request, const Host& host);

}  // namespace cudaenv::commands
