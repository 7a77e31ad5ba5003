#pragma once

#include <optional>
#include <string>
#include <vector>

#include "activate/change.hpp"
#include "commands/choice.hpp"
#include "commands/host.hpp"

namespace cudaenv::commands {

struct UseRequest {
  std::string spec;                     // empty: what the project file asks for
  std::vector<std::string> with;        // libraries that have to be in it: "cudnn@8.9"
  std::optional<bool> ld_path;          // whether LD_LIBRARY_PATH is set; nothing: see
  std::optional<bool> cudacxx;          // whether CUDACXX is; what_to_set()
  bool from_empty_environment = false;  // not from this process's
};

struct UseResult {
  activate::Change change;
  Choice choice;
};

// `use`: what it takes to have the toolkit in this environment. Changes nothing. A note where
// LD_LIBRARY_PATH would hide the CUDA libraries of the Python environment that is active. Throws
// Error(missing) for what is not installed, and without a spec where no project file holds.
UseResult use(const UseRequest& request, const Host& host);

// `use` for what a project file asks for.
UseResult use(const ProjectFile& file, const UseRequest& request, const Host& host);

// The same for what holds here where no spec is named: see Toolkits::chosen(). What is active
// already stays as it is.
UseResult use_chosen(const UseRequest& request, const Host& host);

// Whether LD_LIBRARY_PATH and CUDACXX are to be set: as the request says, else CUDAENV_LD_PATH and
// CUDAENV_CUDACXX, else (LD_LIBRARY_PATH) the project, else the configuration; without any of them
// they are.
activate::Options what_to_set(const UseRequest& request, const catalog::Project* project,
                              const Host& host);

// "cudnn@8.9" or "cudnn". Throws Error(usage) for an unknown library or a malformed version.
catalog::Project::Library library_named(const std::string& typed);

// The folder with CUDA libraries of its own in the Python environment that VIRTUAL_ENV or
// CONDA_PREFIX names; nothing without one.
std::optional<std::filesystem::path> python_cuda_libraries(const Host& host);

}  // namespace cudaenv::commands
