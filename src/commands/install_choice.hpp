#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands/choose_toolkit.hpp"
#include "commands/install.hpp"

namespace cudaenv::commands {

// Where an install takes its files from, and why.
struct SourceChoice {
  std::unique_ptr<install::Source> source;
  bool fell_back = false;  // `auto` took the wheels because NVIDIA's host does not answer
};

// --source, --mirror, CUDAENV_SOURCE, CUDAENV_MIRROR, CUDAENV_TRUST_MIRROR. `auto` asks NVIDIA's
// host (or takes the mirrors that are named) and falls back to the wheels.
SourceChoice choose_source(const InstallRequest& request, const install::Context& context,
                           const Host& host);

// Whether --trust-mirror or its variable asks for the mirror's own manifests.
bool trusts_mirror(const InstallRequest& request, const Host& host);

// The release that a spec means among those that the source and the index know; `chooser` says
// what `auto` is. Throws Error(missing) with what exists: 11.0 to 11.3 have no manifests at NVIDIA.
Release choose_release(const Spec& spec, install::Source& source, ToolkitChooser& chooser);

Platform choose_platform(const std::string& named, const Version& cuda);

install::Context make_context(const InstallRequest& request, const Host& host);

}  // namespace cudaenv::commands
