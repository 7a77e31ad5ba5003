#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "archive/packed_file.hpp"

namespace cudaenv::archive {

// Turns packed bytes into the bytes that were packed. Damage, truncation and bytes after the end
// are Error(corrupt).
class Decoder {
 public:
  virtual ~Decoder() = default;

  // Fills `out`; returns less than its size only at the end.
  virtual std::size_t read(std::span<char> out) = 0;
};

enum class Format { xz, gzip, zstd, tar, zip, unknown };

// What the first bytes of an archive say, whatever its name.
Format format_of(const PackedFile& file);

struct DecoderOptions {
  unsigned threads = 1;         // for the blocks of one .xz
  bool check_integrity = true;  // false: the packed bytes are checked by a digest of their own
};

// For all formats but zip.
std::unique_ptr<Decoder> make_decoder(Format format, PackedReader& input, std::uint64_t size,
                                      const DecoderOptions& options);

// One that knows liblzma (decoder_xz.cpp).
std::unique_ptr<Decoder> make_xz_decoder(PackedReader& input, const DecoderOptions& options);

}  // namespace cudaenv::archive
