#pragma once

#include <chrono>

#include "commands/host.hpp"
#include "sys/lock.hpp"

namespace cudaenv::commands {

// How long to wait for others: CUDAENV_LOCK_TIMEOUT in seconds, else 30 minutes.
std::chrono::milliseconds lock_timeout(const Host& host);

// Waits that long, tells whom for, and ends when the user asks to stop.
sys::LockWait lock_wait(const Host& host);

// store::lock_root, with what this user says about waiting.
sys::FileLock lock_root(const store::Layout& layout, const Host& host);

// A number from an environment variable; `fallback` where it is unset or empty. Throws
// Error(usage) that names the variable where it is no number or not within 1 and `most`.
std::uint64_t number_variable(const Host& host, const char* name, std::uint64_t fallback,
                              std::uint64_t most);

}  // namespace cudaenv::commands
