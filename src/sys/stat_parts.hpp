#pragma once

#include <sys/stat.h>

#include "sys/file.hpp"

// What the parts of this layer that look at files have in common.
namespace cudaenv::sys {

Stat to_stat(const struct ::stat& raw);

}  // namespace cudaenv::sys
