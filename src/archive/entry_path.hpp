#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudaenv::archive {

// Ends the unpacking with Error(corrupt): "`entry` <what is wrong with it>".
[[noreturn]] void refuse(std::string_view entry, std::string_view wrong);

// An entry's path as the tree spells it: relative, '/' between, without leading "./" and trailing
// '/'; empty for the tree's root. Refuses absolute paths, "..", "." and empty components, control
// characters, components over 255 bytes and paths over 1024.
std::string checked_path(std::string_view raw);

// What a link's target may be made of. Whether it stays in the tree is for the tree to say.
void check_target(std::string_view entry, std::string_view target);

// The pieces of a path between slashes, without empty ones and ".".
std::vector<std::string_view> components(std::string_view path);

// The path of the folder that `path` lies in; empty for one at the top.
std::string_view parent_of(std::string_view path);

}  // namespace cudaenv::archive
