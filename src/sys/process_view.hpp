#pragma once

#include <cstdint>
#include <string>

// What /proc shows of other processes. A process that is gone, or of another namespace, has none.
namespace cudaenv::sys {

// The user it runs as, by name or else by number; empty where it is not seen.
std::string process_owner(std::uint32_t pid);

// How it was called, "python3 train.py", its program without the folder; fit to show, 200 bytes at
// most. Empty where it is not seen.
std::string process_command(std::uint32_t pid);

}  // namespace cudaenv::sys
