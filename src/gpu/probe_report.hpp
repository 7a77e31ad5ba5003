#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "gpu/library_probe.hpp"

// How reports of libraries that were loaded in a child are read: as a stranger's.
namespace cudaenv::gpu {

// A status of a library; nothing for what no status is.
std::optional<int> small_number(std::string_view value);

// Takes what the line says of a device; a value that cannot be is left out.
void read_device_line(GpuFacts& gpu, std::string_view key, std::string_view value);

// What all reports have: how the library answered. The other lines go to `on_line`.
using OnLine = std::function<void(std::string_view key, std::string_view value)>;
void read_report(LibraryProbe& probe, const sys::ChildOutcome& outcome, const OnLine& on_line);

}  // namespace cudaenv::gpu
