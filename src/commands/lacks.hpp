#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cudaenv::commands {

// What components lack beside NVIDIA's archives, from (component, what it lacks) pairs: those that
// lack the same share a line, "libcublas, libcufft: no static libraries". Sorted; empty texts are
// passed over.
std::vector<std::string> lack_lines(
    const std::vector<std::pair<std::string, std::string>>& components);

}  // namespace cudaenv::commands
