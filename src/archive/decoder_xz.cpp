#include <algorithm>

#include <fmt/format.h>
#include <lzma.h>

#include "archive/decoder.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::archive {
namespace {

// `xz -9` needs 65 MiB. More is refused rather than taken.
constexpr std::uint64_t most_memory = 192u << 20;

// What several blocks at once may take; past it liblzma decodes fewer of them.
constexpr std::uint64_t most_memory_threaded = 64u << 20;

class XzDecoder final : public Decoder {
 public:
  XzDecoder(PackedReader& input, const DecoderOptions& options) : input_(input) {
    // Several streams, one after another, are one .xz.
    const std::uint32_t flags =
        LZMA_CONCATENATED | (options.check_integrity ? 0u : std::uint32_t{LZMA_IGNORE_CHECK});
    const lzma_ret made =
        options.threads > 1 ? make_threaded(options.threads, flags) : make_plain(flags);
    if (made != LZMA_OK) throw Error(ErrorKind::system, "liblzma cannot begin: out of memory");
  }
  ~XzDecoder() override { ::lzma_end(&stream_); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;

  std::size_t read(std::span<char> out) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    while (!done_ && stream_.avail_out > 0) step();
    return out.size() - stream_.avail_out;
  }

 private:
  lzma_ret make_plain(std::uint32_t flags) {
    return ::lzma_stream_decoder(&stream_, most_memory, flags);
  }

  lzma_ret make_threaded([[maybe_unused]] unsigned threads, std::uint32_t flags) {
#if LZMA_VERSION >= 50040000
    lzma_mt options{};
    options.flags = flags;
    options.threads = std::min(threads, 16u);
    options.memlimit_threading = most_memory_threaded;
    options.memlimit_stop = most_memory;
    return ::lzma_stream_decoder_mt(&stream_, &options);
#else
    return make_plain(flags);
#endif
  }

  void step() {
    if (stream_.avail_in == 0 && !input_ended_) {
      const std::string_view block = input_.next();
      input_ended_ = block.empty();
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(block.data());
      stream_.avail_in = block.size();
    }
    const lzma_ret result = ::lzma_code(&stream_, input_ended_ ? LZMA_FINISH : LZMA_RUN);
    if (result == LZMA_STREAM_END) {
      done_ = true;
    } else if (result != LZMA_OK) {
      fail(result);
    }
  }

  [[noreturn]] void fail(lzma_ret result) {
    switch (result) {
      case LZMA_BUF_ERROR:
        throw Error(ErrorKind::corrupt, "the archive is truncated, or bytes follow its end");
      case LZMA_MEMLIMIT_ERROR:
        throw Error(ErrorKind::corrupt,
                    fmt::format("the archive needs {} of memory to be unpacked, {} are allowed",
                                text::bytes(::lzma_memusage(&stream_)), text::bytes(most_memory)));
      case LZMA_MEM_ERROR:
        throw Error(ErrorKind::system, "liblzma has run out of memory");
      case LZMA_OPTIONS_ERROR:
        throw Error(ErrorKind::corrupt, "the archive is packed in a way that liblzma cannot read");
      case LZMA_FORMAT_ERROR:
        throw Error(ErrorKind::corrupt, "there are bytes in the archive that are not xz");
      default:
        throw Error(ErrorKind::corrupt,
                    fmt::format("the archive is damaged, or bytes follow its end, before byte {}",
                                stream_.total_in));
    }
  }

  PackedReader& input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool input_ended_ = false;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_xz_decoder(PackedReader& input, const DecoderOptions& options) {
  return std::make_unique<XzDecoder>(input, options);
}

}  // namespace cudaenv::archive
