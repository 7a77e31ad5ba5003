#pragma once

#include <optional>
#include <string>

#include "install/context.hpp"
#include "install/plan.hpp"
#include "store/layout.hpp"

namespace cudaenv::install {

// Brings every archive of a plan into the store: fetched (once, whoever asks), verified, unpacked,
// published. Transfers and unpackers work side by side. On failure or interruption nothing of an
// unfinished archive counts; what was downloaded is kept for the next run.
void supply(const Context& context, const store::Layout& layout, const Plan& plan);

// Where a file of NVIDIA's archive goes in a prefix: without the archive's top folder, and with a
// component's own lib64/ folder as lib/. Nothing: a path outside the top folder, which no archive
// of theirs has.
std::optional<std::string> archive_place(const std::string& top_folder, const std::string& path);

}  // namespace cudaenv::install
