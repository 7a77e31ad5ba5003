#include "archive/decoder.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <archive.h>
#include <archive_entry.h>

#include "archive/libarchive_reader.hpp"
#include "base/error.hpp"

namespace cudaenv::archive {
namespace {

// gzip and zstd: one filter of libarchive around bytes that it is not to understand.
class FilterDecoder final : public Decoder {
 public:
  FilterDecoder(PackedReader& input, int filter, std::uint64_t packed_size)
      : reader_([&input] { return input.next(); }), packed_size_(packed_size) {
    ::archive_read_support_format_raw(reader_.handle());
    reader_.check(::archive_read_append_filter(reader_.handle(), filter), "the archive");
    reader_.open();
    struct ::archive_entry* entry = nullptr;
    done_ = !reader_.check(::archive_read_next_header(reader_.handle(), &entry), "the archive");
  }

  std::size_t read(std::span<char> out) override {
    std::size_t filled = 0;
    while (!done_ && filled < out.size()) {
      const la_ssize_t got =
          ::archive_read_data(reader_.handle(), out.data() + filled, out.size() - filled);
      if (got < 0) reader_.check(static_cast<int>(got), "the archive");
      filled += static_cast<std::size_t>(std::max<la_ssize_t>(got, 0));
      if (got == 0) end();
    }
    return filled;
  }

 private:
  void end() {
    done_ = true;
    if (reader_.consumed() != packed_size_) {
      throw Error(ErrorKind::corrupt, "bytes follow the end of the archive");
    }
  }

  LibarchiveReader reader_;
  std::uint64_t packed_size_;
  bool done_ = false;
};

class PlainDecoder final : public Decoder {
 public:
  explicit PlainDecoder(PackedReader& input) : input_(input) {}

  std::size_t read(std::span<char> out) override {
    std::size_t filled = 0;
    while (filled < out.size()) {
      if (rest_.empty()) rest_ = input_.next();
      if (rest_.empty()) break;
      const std::size_t step = std::min(rest_.size(), out.size() - filled);
      std::memcpy(out.data() + filled, rest_.data(), step);
      rest_.remove_prefix(step);
      filled += step;
    }
    return filled;
  }

 private:
  PackedReader& input_;
  std::string_view rest_;
};

}  // namespace

Format format_of(const PackedFile& file) {
  std::array<char, 512> bytes{};
  const std::string_view head(bytes.data(), file.read_at(0, bytes.data(), bytes.size()));
  if (head.starts_with(std::string_view("\xfd"
                                        "7zXZ\0",
                                        6)))
    return Format::xz;
  if (head.starts_with("\x1f\x8b")) return Format::gzip;
  if (head.starts_with("\x28\xb5\x2f\xfd")) return Format::zstd;
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) return Format::zip;
  // Before POSIX there was no magic; libarchive looks at the checksum.
  if (head.size() == bytes.size()) return Format::tar;
  return Format::unknown;
}

std::unique_ptr<Decoder> make_decoder(Format format, PackedReader& input, std::uint64_t size,
                                      const DecoderOptions& options) {
  switch (format) {
    case Format::xz:
      return make_xz_decoder(input, options);
    case Format::gzip:
      return std::make_unique<FilterDecoder>(input, ARCHIVE_FILTER_GZIP, size);
    case Format::zstd:
      return std::make_unique<FilterDecoder>(input, ARCHIVE_FILTER_ZSTD, size);
    default:
      return std::make_unique<PlainDecoder>(input);
  }
}

}  // namespace cudaenv::archive
