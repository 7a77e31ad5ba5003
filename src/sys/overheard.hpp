#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.hpp"

namespace cudaenv::sys {

// Runs a command with our own standard streams; what it writes on stderr goes on to ours at once
// and is heard too. Signals that reach us are its own: those that are sent to us are handed on, a
// terminal's reach it by themselves. Returns its exit status, or 128 + the signal that killed it.
// PATH is looked up in `environment`. Throws Error where the command cannot be started.
int run_overheard(const std::vector<std::string>& arguments,
                  const std::map<std::string, std::string, std::less<>>& environment,
                  const std::function<void(std::string_view)>& hear);

// Standard input to its end, in pieces. Throws Interrupted when the user asks to stop, and
// Error(system) where it cannot be read.
void read_input(const std::function<void(std::string_view)>& take, const Interrupt& interrupt);

}  // namespace cudaenv::sys
