#include <algorithm>
#include <array>

#include "archive/entry_path.hpp"
#include "archive/zip_file.hpp"

namespace cudaenv::archive {
namespace {

constexpr std::size_t block_size = 1 << 18;

}  // namespace

MemberReader::MemberReader(const PackedFile& file,
                           std::function<void(std::uint64_t)> on_packed_bytes)
    : file_(file), on_packed_bytes_(std::move(on_packed_bytes)), block_(raw_memory(block_size)) {}

void MemberReader::open(const ZipMember& member) {
  member_ = &member;
  input_ = {};
  taken_ = 0;
  given_ = 0;
  crc_ = 0;
  ended_ = false;
  inflater_.restart();
}

std::size_t MemberReader::read(std::span<char> out) {
  if (ended_) return 0;
  const std::size_t got = member_->deflated ? read_deflated(out) : read_stored(out);
  given_ += got;
  if (given_ > member_->size) refuse(member_->name, "is larger than the zip tells");
  crc_ = crc32(crc_, {out.data(), got});
  if (got < out.size()) check_end();
  return got;
}

std::size_t MemberReader::read_stored(std::span<char> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    if (input_.empty()) refill();
    if (input_.empty()) break;
    const std::size_t step = std::min(input_.size(), out.size() - filled);
    std::copy_n(input_.data(), step, out.data() + filled);
    input_.remove_prefix(step);
    filled += step;
  }
  return filled;
}

std::size_t MemberReader::read_deflated(std::span<char> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    if (input_.empty()) refill();
    const std::size_t offered = input_.size();
    const Inflater::Step step = inflater_.run(input_, out.subspan(filled));
    filled += step.written;
    if (!step.sound) refuse(member_->name, "is damaged: it is no deflate stream");
    if (step.ended) {
      if (!input_.empty() || taken_ < member_->packed_size) {
        refuse(member_->name, "has bytes behind its deflate stream");
      }
      break;
    }
    if (step.written == 0 && offered == input_.size()) {
      refuse(member_->name, "is damaged: its deflate stream is truncated");
    }
  }
  return filled;
}

void MemberReader::refill() {
  const std::uint64_t left = member_->packed_size - taken_;
  const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(left, block_size));
  const std::size_t got = file_.read_at(member_->data + taken_, block_.get(), count);
  if (got < count) refuse(member_->name, "is truncated");
  input_ = {block_.get(), got};
  taken_ += got;
  if (on_packed_bytes_ && got > 0) on_packed_bytes_(got);
}

void MemberReader::check_end() {
  ended_ = true;
  if (given_ != member_->size) refuse(member_->name, "has another size than the zip tells");
  if (crc_ != member_->crc) refuse(member_->name, "does not match its CRC");
}

}  // namespace cudaenv::archive
