#pragma once

#include "archive/decoder.hpp"
#include "archive/unpack.hpp"

namespace cudaenv::archive {

// Unpacks a tar archive in whatever `format` it is packed. See unpack().
std::vector<Entry> unpack_tar(const PackedFile& file, Format format, const UnpackRequest& request,
                              const Interrupt& interrupt);

}  // namespace cudaenv::archive
