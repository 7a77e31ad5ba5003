#pragma once

#include "archive/packed_file.hpp"
#include "archive/unpack.hpp"
#include "archive/zip_file.hpp"

namespace cudaenv::archive {

// See unpack() and unpack_wheel().
std::vector<Entry> unpack_zip(const PackedFile& file, const UnpackRequest& request,
                              const Interrupt& interrupt);
std::vector<Entry> unpack_wheel_file(const PackedFile& file, const WheelRequest& request,
                                     const Interrupt& interrupt);

// All bytes of one member, `limit` at most.
std::string member_bytes(const PackedFile& file, const ZipMember& member, std::uint64_t limit);

}  // namespace cudaenv::archive
