#include "net/partial_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "sys/file.hpp"

namespace cudaenv::net {
namespace {

constexpr std::size_t block_size = 4u << 20;

std::filesystem::path partial_path(std::filesystem::path destination) {
  destination += ".partial";
  return destination;
}

}  // namespace

PartialFile::PartialFile(const std::filesystem::path& destination)
    : destination_(destination), path_(partial_path(destination)) {}

void PartialFile::open_leftover() {
  // A whole file that an earlier run did not live to use is hashed like any other leftover.
  if (const auto whole = sys::stat_link(destination_); whole && whole->kind == sys::Kind::regular) {
    sys::rename(destination_, path_);
  }
  const auto found = sys::stat_link(path_);
  if (!found) return;
  if (found->kind != sys::Kind::regular) {
    // A link planted here would make us write wherever it points.
    sys::remove_if_present(path_);
    return;
  }
  leftover_ = sys::open_read(path_);
}

bool PartialFile::hash_leftover() {
  if (!leftover_) return false;
  std::string block(block_size, '\0');
  const ssize_t got = ::read(leftover_.get(), block.data(), block.size());
  if (got < 0 && errno == EINTR) return true;
  if (got < 0) sys::fail(errno, "read", path_);
  if (got == 0) {
    leftover_.close();
    return false;
  }
  hasher_.update(block.data(), static_cast<std::size_t>(got));
  size_ += static_cast<std::uint64_t>(got);
  return true;
}

void PartialFile::append(std::string_view bytes) {
  if (bytes.empty() && writer_) return;
  if (!writer_ && size_ == 0) writer_ = sys::create_file(path_);
  if (!writer_) {
    writer_ = sys::Fd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
    if (!writer_) sys::fail(errno, "write", path_);
  }
  sys::write_all(writer_.get(), bytes, path_);
  hasher_.update(bytes);
  size_ += bytes.size();
}

void PartialFile::discard() {
  leftover_.close();
  writer_.close();
  hasher_ = sys::Sha256();
  size_ = 0;
  sys::remove_if_present(path_);
}

void PartialFile::publish() {
  // A network filesystem may report a full disk only now.
  if (writer_ && ::close(writer_.release()) != 0) sys::fail(errno, "write", path_);
  sys::rename(path_, destination_);
}

}  // namespace cudaenv::net
