#include <algorithm>
#include <limits>
#include <new>
#include <zlib.h>

#include "archive/inflater.hpp"

namespace cudaenv::archive {

struct Inflater::State {
  z_stream stream{};
  ~State() { ::inflateEnd(&stream); }
};

Inflater::Inflater() : state_(std::make_unique<State>()) {
  constexpr int raw_deflate = -15;
  if (::inflateInit2(&state_->stream, raw_deflate) != Z_OK) throw std::bad_alloc();
}
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater::~Inflater() = default;

void Inflater::restart() { ::inflateReset(&state_->stream); }

Inflater::Step Inflater::run(std::string_view& in, std::span<char> out) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  z_stream& stream = state_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(std::min(in.size(), most));
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(std::min(out.size(), most));
  const uInt offered_in = stream.avail_in;
  const uInt offered_out = stream.avail_out;

  const int result = ::inflate(&stream, Z_NO_FLUSH);
  in.remove_prefix(offered_in - stream.avail_in);
  return {offered_out - stream.avail_out, result == Z_STREAM_END,
          result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR};
}

std::uint32_t crc32(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace cudaenv::archive
