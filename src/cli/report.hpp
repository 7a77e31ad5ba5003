#pragma once

#include <string>

#include "base/error.hpp"
#include "cli/style.hpp"

namespace cudaenv::cli {

// The exit statuses; the man page has the same table.
enum Exit : int { done = 0, failed = 1, wrong_usage = 2, found_something = 3, skipped = 77 };

// An Error as the user reads it:
//   error: what
//     why, from outside in
//   help: what to type
std::string rendered(const Error& error, const Style& style);

int exit_status(const Error& error);

}  // namespace cudaenv::cli
