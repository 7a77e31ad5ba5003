#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/digest.hpp"
#include "sys/fd.hpp"
#include "sys/sha256.hpp"

namespace cudaenv::net {

// `<destination>.partial`: the beginning of a file, and the SHA-256 of what is in it so far. The
// file appears with the first byte. Failures of the disk are Errors in sys's words.
class PartialFile {
 public:
  explicit PartialFile(const std::filesystem::path& destination);

  // What an earlier run left, be it the whole destination, is taken up, hashed block by block:
  // open_leftover(), then hash_leftover() until it returns false.
  void open_leftover();
  bool hash_leftover();

  std::uint64_t size() const { return size_; }
  void append(std::string_view bytes);
  // Empty again, and gone from the disk.
  void discard();

  // Of everything appended; once.
  Digest digest() { return hasher_.finish(); }
  // Becomes the destination.
  void publish();

 private:
  std::filesystem::path destination_;
  std::filesystem::path path_;
  sys::Fd writer_;
  sys::Fd leftover_;
  sys::Sha256 hasher_;
  std::uint64_t size_ = 0;
};

}  // namespace cudaenv::net
