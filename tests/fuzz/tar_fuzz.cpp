// Tar archives byte by byte, packed or not. Checksums of headers are mended first: a random byte
// would never get past them.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "fuzz/fuzz.hpp"
#include "fuzz/unpacking.hpp"

namespace {

using namespace cudaenv;

constexpr std::size_t block = 512;

void mend_checksum(std::string& bytes, std::size_t header) {
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(header + 148), 8, ' ');
  unsigned sum = 0;
  for (std::size_t i = 0; i < block; ++i) sum += static_cast<unsigned char>(bytes[header + i]);
  const std::string field = fmt::format("{:06o}", sum) + '\0' + ' ';
  std::copy(field.begin(), field.end(), bytes.begin() + static_cast<std::ptrdiff_t>(header + 148));
}

std::string mended(std::string_view input) {
  std::string bytes(input);
  for (std::size_t at = 0; at + block <= bytes.size();) {
    const std::string_view header = std::string_view(bytes).substr(at, block);
    if (header.find_first_not_of('\0') == std::string_view::npos) {
      at += block;
      continue;
    }
    std::uint64_t size = 0;
    std::from_chars(header.data() + 124, header.data() + 136, size, 8);
    mend_checksum(bytes, at);
    at += block + std::min<std::uint64_t>(size, bytes.size()) / block * block +
          (size % block == 0 ? 0 : block);
  }
  return bytes;
}

void try_archive(std::string_view bytes) {
  const fuzz::Unpacking unpacking(bytes);
  try {
    unpacking.expect_as_told(archive::unpack(unpacking.request(), NoInterrupt()));
  } catch (const Error& error) {
    fuzz::expect_presentable(error);
    fuzz::expect(error.kind() == ErrorKind::corrupt, "what is wrong is said to be the archive");
  }
  unpacking.expect_harmless();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const bool is_tar = input.size() > 262 && input.substr(257, 5) == "ustar";
  try_archive(is_tar ? mended(input) : std::string(input));
  return 0;
}
