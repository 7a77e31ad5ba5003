#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/host.hpp"
#include "compat/tables.hpp"
#include "doctor/observed.hpp"
#include "sys/tree.hpp"

namespace cudaenv::commands {

// Which machine is judged, as it was typed: this one, or another one's tree, with what is assumed
// in place of what is found.
struct MachineRequest {
  std::string sysroot;                 // another root; empty: CUDAENV_SYSROOT, else this machine
  std::vector<std::string> variables;  // "NAME=VALUE": the environment that goes with it
  std::string driver;                  // of here on empty: as found
  std::vector<std::string> gpus;       // names or compute capabilities
  std::string glibc;
  std::string gcc;
};

// Each throws Error(usage) for what was mistyped.
sys::Tree tree_of(const MachineRequest& request, const Host& host);
// The variables of programs there: this shell's are not those of another root.
sys::Environment environment_of(const MachineRequest& request, const Host& host);
doctor::Assumed assumed_of(const MachineRequest& request, const compat::Tables& tables);

// "535.104.05"; `what` says whose version it is, such as "--driver".
Version typed_version(const std::string& typed, std::string_view what);

// A GPU as it is typed: a name of the tables, or a capability ("8.9", "sm_89").
GpuFacts typed_gpu(const compat::Tables& tables, const std::string& typed);

}  // namespace cudaenv::commands
