#include "archive/packed_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "sys/file.hpp"

namespace cudaenv::archive {
namespace {

constexpr std::size_t block_size = 1 << 18;

}  // namespace

std::unique_ptr<char[]> raw_memory(std::size_t size) {
  return std::make_unique_for_overwrite<char[]>(size);
}

PackedFile::PackedFile(const std::filesystem::path& path, const Interrupt& interrupt)
    : path_(path), interrupt_(interrupt), fd_(sys::open_read(path)) {
  const auto found = sys::stat_target(path);
  if (!found || found->kind != sys::Kind::regular) {
    throw Error(ErrorKind::corrupt, "the archive is not a regular file");
  }
  size_ = found->size;
  ::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

std::size_t PackedFile::read_at(std::uint64_t offset, char* to, std::size_t count) const {
  interrupt_.check();
  std::size_t got = 0;
  while (got < count) {
    const ssize_t step =
        ::pread(fd_.get(), to + got, count - got, static_cast<off_t>(offset + got));
    if (step < 0 && errno == EINTR) continue;
    if (step < 0) sys::fail(errno, "read", path_);
    if (step == 0) break;
    got += static_cast<std::size_t>(step);
  }
  return got;
}

PackedReader::PackedReader(const PackedFile& file, const UnpackRequest& request)
    : file_(file), request_(request), block_(raw_memory(block_size)) {
  if (request.sha256) hasher_.emplace();
}

std::string_view PackedReader::next() {
  const std::size_t got = file_.read_at(offset_, block_.get(), block_size);
  offset_ += got;
  if (hasher_) hasher_->update(block_.get(), got);
  if (request_.on_bytes && got > 0) request_.on_bytes(got);
  return {block_.get(), got};
}

void PackedReader::verify() {
  if (!hasher_) return;
  const Digest received = hasher_->finish();
  if (received == *request_.sha256) return;
  throw Error(ErrorKind::corrupt, "the archive on disk does not match its checksum")
      .because("expected " + request_.sha256->hex())
      .because("received " + received.hex());
}

}  // namespace cudaenv::archive
