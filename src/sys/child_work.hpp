#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "sys/child.hpp"

// What run_in_child() and AnsweringChild have in common: a forked child that goes on in our own
// code, and what became of it.
namespace cudaenv::sys {

// How much of what a child prints is kept.
inline constexpr std::size_t most_said = 4096;
// The last line of work that came to its end: exit(0) in a library must not pass for it.
inline constexpr std::string_view end_line = "\x04";

// In the child: nothing of the parent's terminal, handlers and limits reaches what is loaded there.
// What it prints goes to `said`.
void settle(pid_t parent, int said);

// Whether the child is dead, leaving its status to be taken.
bool has_ended(pid_t pid);

// What a report means. `status` is that of waitpid, where the child has ended.
ChildOutcome conclude(std::string_view report, std::string said, bool ended, int status);

}  // namespace cudaenv::sys
