#include <algorithm>
#include <limits>

#include <isa-l.h>

#include "archive/inflater.hpp"

namespace cudaenv::archive {

struct Inflater::State {
  inflate_state stream;
};

Inflater::Inflater() : state_(std::make_unique_for_overwrite<State>()) { restart(); }
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater::~Inflater() = default;

void Inflater::restart() { ::isal_inflate_init(&state_->stream); }

Inflater::Step Inflater::run(std::string_view& in, std::span<char> out) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  inflate_state& stream = state_->stream;
  // ISA-L does not write to its input, though its header does not say so.
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<std::uint32_t>(std::min(in.size(), most));
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = static_cast<std::uint32_t>(std::min(out.size(), most));
  const std::uint32_t offered_in = stream.avail_in;
  const std::uint32_t offered_out = stream.avail_out;

  const int result = ::isal_inflate(&stream);
  Step step;
  step.written = offered_out - stream.avail_out;
  step.sound = result == ISAL_DECOMP_OK;
  step.ended = stream.block_state == ISAL_BLOCK_FINISH;
  in.remove_prefix(offered_in - stream.avail_in);
  // At the end it has read whole bytes beyond the stream into its bit buffer.
  if (step.ended && stream.read_in_length >= 8) {
    const auto ahead = static_cast<std::size_t>(stream.read_in_length / 8);
    in = {in.data() - ahead, in.size() + ahead};
    stream.read_in_length = 0;
  }
  return step;
}

std::uint32_t crc32(std::uint32_t crc, std::string_view bytes) {
  return ::crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

}  // namespace cudaenv::archive
