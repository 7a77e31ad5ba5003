#pragma once

#include <string>
#include <vector>

#include "activate/hook.hpp"
#include "base/error.hpp"
#include "commands/host.hpp"

namespace cudaenv::commands {

struct HookResult {
  activate::Change change;
  activate::Watch watch;
  activate::HookState state;
  std::vector<std::string> switched;  // a line each: what became active, or what no longer is
  std::vector<std::string> problems;  // a line each, once in a shell: why something is not
};

// What a shell's prompt changes: the toolkit of the project that the host's folder lies in comes
// in, that of another goes. One that was chosen by hand stays. A project that asks for what is not
// installed, or whose file cannot be read, is as none. Opens no socket, probes no GPU, asks
// nothing.
HookResult hook(const activate::HookState& state, const Host& host);

// The same where the configuration cannot be read: nothing changes, and why is said once.
HookResult hook_without_configuration(const activate::HookState& state, const Error& why);

}  // namespace cudaenv::commands
