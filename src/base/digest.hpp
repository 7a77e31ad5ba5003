#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cudaenv {

// A SHA-256 value. One that exists is well formed.
class Digest {
 public:
  using Bytes = std::array<std::uint8_t, 32>;

  explicit Digest(const Bytes& bytes) : bytes_(bytes) {}

  // 64 hexadecimal digits, either case; nothing for anything else.
  static std::optional<Digest> from_hex(std::string_view hex);

  // 43 characters of unpadded base64url, as a wheel's RECORD spells it; nothing for anything else.
  static std::optional<Digest> from_base64url(std::string_view text);

  std::string hex() const;
  const Bytes& bytes() const { return bytes_; }

  auto operator<=>(const Digest&) const = default;

 private:
  Bytes bytes_;
};

}  // namespace cudaenv
