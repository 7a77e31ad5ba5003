#pragma once

#include <string>
#include <vector>

#include "commands/install.hpp"

namespace cudaenv::commands {

struct RemoteRequest {
  std::string product;    // "cuda", or an add-on's; empty: cuda
  InstallRequest source;  // only its source, mirrors, trust and offline fields count
};

struct RemoteRelease {
  Version version;
  bool known = false;      // in the built-in index
  bool installed = false;  // in one of the reading roots
};

struct RemoteResult {
  std::string source;
  std::string product;
  bool fell_back = false;
  std::vector<RemoteRelease> releases;  // ascending
  std::vector<std::string> notes;
};

// `list --remote`: what can be installed, after asking the source itself. Where it cannot be
// reached the index alone answers, with a note.
RemoteResult list_remote(const RemoteRequest& request, const Host& host);

// `update`: fetches the manifests of releases that neither the index nor the cache knows, of cuda
// and every add-on, into this user's cache.
struct UpdateResult {
  std::string source;
  std::vector<std::string> fetched;  // "cuda 13.5.0"
  std::vector<std::string> notes;
};
UpdateResult update(const InstallRequest& source, const Host& host);

}  // namespace cudaenv::commands
