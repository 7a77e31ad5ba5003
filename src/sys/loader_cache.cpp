#include "sys/loader_cache.hpp"

#include <cstdint>
#include <cstring>
#include <optional>

namespace cudaenv::sys {
namespace {

// Source: glibc, sysdeps/generic/dl-cache.h.
constexpr std::string_view old_magic = "ld.so-1.7.0";
constexpr std::string_view new_magic = "glibc-ld.so.cache1.1";
constexpr std::size_t longest_text = 4096;
constexpr std::size_t old_header = 16;
constexpr std::size_t old_entry = 12;
constexpr std::size_t new_header = 48;
constexpr std::size_t new_entry = 24;
constexpr std::size_t count_in_old_header = 12;
constexpr std::size_t count_in_new_header = 20;

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::optional<std::string> text_at(std::string_view bytes, std::size_t at) {
  if (at >= bytes.size()) return std::nullopt;
  const std::string_view rest = bytes.substr(at, longest_text);
  const auto end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(rest.substr(0, end));
}

// The word size is in the second byte of an entry's flags: 0x0300 x86-64, 0x0a00 AArch64,
// 0x0500 64-bit POWER; 0 is the 32-bit library of such a machine.
bool is_64_bit(std::uint32_t flags) {
  return (flags & 0xff00u) != 0 && (flags & 0xff00u) != 0x0800;
}

// Entries of `size` bytes from `first` on; texts are counted from the start of `strings`.
std::vector<CachedLibrary> read(std::string_view bytes, std::size_t first, std::size_t size,
                                std::size_t count, std::string_view strings) {
  std::vector<CachedLibrary> libraries;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = first + i * size;
    if (at + size > bytes.size()) break;
    auto name = text_at(strings, number_at(bytes, at + 4));
    auto path = text_at(strings, number_at(bytes, at + 8));
    if (!name || !path) continue;
    libraries.push_back({std::move(*name), std::move(*path), is_64_bit(number_at(bytes, at))});
  }
  return libraries;
}

}  // namespace

std::vector<CachedLibrary> loader_cache(std::string_view bytes) {
  if (bytes.starts_with(old_magic)) {
    const std::size_t count = number_at(bytes, count_in_old_header);
    const std::size_t end = old_header + count * old_entry;
    if (end > bytes.size()) return {};
    const std::size_t aligned = (end + 7) / 8 * 8;
    if (aligned < bytes.size() && bytes.substr(aligned).starts_with(new_magic)) {
      return loader_cache(bytes.substr(aligned));
    }
    return read(bytes, old_header, old_entry, count, bytes.substr(end));
  }
  if (!bytes.starts_with(new_magic)) return {};
  return read(bytes, new_header, new_entry, number_at(bytes, count_in_new_header), bytes);
}

}  // namespace cudaenv::sys
