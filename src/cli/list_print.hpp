#pragma once

#include <string>

#include "cli/session.hpp"
#include "commands/list.hpp"

namespace cudaenv::cli {

struct ListOptions {
  bool sizes = false;
  bool json = false;
  bool remote = false;
  std::string product;  // of --remote
};

// The installed toolkits, as a table or JSON, to stdout.
int show_installed(const ListOptions& options, const Session& session);

}  // namespace cudaenv::cli
