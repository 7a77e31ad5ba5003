#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/host.hpp"
#include "sys/lock.hpp"

namespace cudaenv::commands {

// While this lock is held nobody collects the store: an install may count on what it found there.
sys::FileLock use_store(const store::Layout& layout, const Host& host);

struct Collected {
  std::vector<std::string> entries;       // of the store, by name
  std::uint64_t bytes = 0;                // on disk
  std::vector<std::string> downloads;     // partial and finished archives
  std::size_t leftovers = 0;              // staging folders and trash
  bool busy = false;                      // an install is under way: nothing was collected
  std::vector<store::Oddity> unreadable;  // may use any entry: none was removed
};

// Removes what no prefix of the root uses. With `only_look` it removes nothing. Does not wait.
// Where the filesystem has no locks, what was changed in the last week stays: an install that
// nobody can see may count on it.
Collected collect(const store::Layout& layout, bool only_look);

}  // namespace cudaenv::commands
