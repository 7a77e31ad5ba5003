#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "archive/unpack.hpp"
#include "sys/fd.hpp"
#include "sys/sha256.hpp"

namespace cudaenv::archive {

// Memory that is not cleared first.
std::unique_ptr<char[]> raw_memory(std::size_t size);

// An archive as it lies on disk. Every read asks whether someone wants to stop.
class PackedFile {
 public:
  PackedFile(const std::filesystem::path& path, const Interrupt& interrupt);

  std::uint64_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }

  // As many bytes of `offset` as there are, at most `count`.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t count) const;

 private:
  std::filesystem::path path_;
  const Interrupt& interrupt_;
  sys::Fd fd_;
  std::uint64_t size_ = 0;
};

// Reads a packed file once from front to back; hashes it where the request has its digest, and
// tells `on_bytes`.
class PackedReader {
 public:
  PackedReader(const PackedFile& file, const UnpackRequest& request);

  // The next piece, valid until the next call; empty at the end.
  std::string_view next();

  // After the end: Error(corrupt) where the digest is another than the request says.
  void verify();

 private:
  const PackedFile& file_;
  const UnpackRequest& request_;
  std::optional<sys::Sha256> hasher_;
  std::unique_ptr<char[]> block_;
  std::uint64_t offset_ = 0;
};

}  // namespace cudaenv::archive
