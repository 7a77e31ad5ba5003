#pragma once

#include <vector>

#include "commands/host.hpp"
#include "compat/tables.hpp"
#include "model/failure.hpp"

namespace cudaenv::commands {

// Gives each check that failed its causes and remedies: those that `explain` has for its code where
// that says enough, else those of its layer. Tables of the user's that are broken are passed over:
// what was found must be told all the same.
void add_remedies(std::vector<Check>& checks, const Host& host);

// The tables that they are of.
compat::Tables tables_for_remedies(const Host& host);

}  // namespace cudaenv::commands
