#include "base/digest.hpp"

namespace cudaenv {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

int base64url_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '-') return 62;
  if (c == '_') return 63;
  return -1;
}

}  // namespace

std::optional<Digest> Digest::from_hex(std::string_view hex) {
  Bytes bytes{};
  if (hex.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = hex_value(hex[2 * i]);
    const int low = hex_value(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return Digest(bytes);
}

std::optional<Digest> Digest::from_base64url(std::string_view text) {
  Bytes bytes{};
  if (text.size() != 43) return std::nullopt;
  std::uint32_t window = 0;
  int bits = 0;
  std::size_t filled = 0;
  for (const char c : text) {
    const int value = base64url_value(c);
    if (value < 0) return std::nullopt;
    window = (window << 6) | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[filled++] = static_cast<std::uint8_t>(window >> bits);
    window &= (1u << bits) - 1;
  }
  // 43 digits carry 258 bits: the last two must be zero, or two spellings name one digest.
  if (window != 0) return std::nullopt;
  return Digest(bytes);
}

std::string Digest::hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes_.size());
  for (const auto byte : bytes_) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace cudaenv
