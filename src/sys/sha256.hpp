#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/digest.hpp"
#include "base/interrupt.hpp"

namespace cudaenv::sys {

// SHA-256 over bytes that pass by (libcrypto, which uses the processor's instructions).
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  void update(const void* data, std::size_t size);
  void update(std::string_view bytes) { update(bytes.data(), bytes.size()); }
  // The digest of all so far; the hasher starts anew.
  Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

Digest sha256(std::string_view bytes);

// Of a whole file, read in blocks; polls `interrupt`.
Digest sha256_file(const std::filesystem::path& path, const Interrupt& interrupt);

}  // namespace cudaenv::sys
