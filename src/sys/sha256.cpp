#include "sys/sha256.hpp"

#include <array>
#include <cerrno>
#include <string>
#include <unistd.h>

#include <openssl/evp.h>

#include "base/error.hpp"
#include "sys/file.hpp"

namespace cudaenv::sys {
namespace {

void check(int result) {
  if (result != 1) throw Error(ErrorKind::system, "SHA-256 is not available in libcrypto");
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* handle = ::EVP_MD_CTX_new();
  ~Context() { ::EVP_MD_CTX_free(handle); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  check(::EVP_DigestInit_ex(context_->handle, ::EVP_sha256(), nullptr));
}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::update(const void* data, std::size_t size) {
  check(::EVP_DigestUpdate(context_->handle, data, size));
}

Digest Sha256::finish() {
  Digest::Bytes bytes;
  check(::EVP_DigestFinal_ex(context_->handle, bytes.data(), nullptr));
  check(::EVP_DigestInit_ex(context_->handle, ::EVP_sha256(), nullptr));
  return Digest(bytes);
}

Digest sha256(std::string_view bytes) {
  Sha256 hasher;
  hasher.update(bytes);
  return hasher.finish();
}

Digest sha256_file(const std::filesystem::path& path, const Interrupt& interrupt) {
  const Fd fd = open_read(path);
  Sha256 hasher;
  std::string block(1 << 18, '\0');
  while (true) {
    interrupt.check();
    const ssize_t got = ::read(fd.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno, "read", path);
    if (got == 0) return hasher.finish();
    hasher.update(block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace cudaenv::sys
