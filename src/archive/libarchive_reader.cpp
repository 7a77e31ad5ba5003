#include "archive/libarchive_reader.hpp"

#include <new>

#include <archive.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::archive {

LibarchiveReader::LibarchiveReader(Next next)
    : handle_(::archive_read_new()), next_(std::move(next)) {
  if (!handle_) throw std::bad_alloc();
}

LibarchiveReader::~LibarchiveReader() { ::archive_read_free(handle_); }

void LibarchiveReader::open() {
  check(::archive_read_open(handle_, this, nullptr, read, nullptr), "the archive");
}

ssize_t LibarchiveReader::read(struct ::archive*, void* self, const void** bytes) noexcept {
  auto& reader = *static_cast<LibarchiveReader*>(self);
  try {
    reader.last_block_ = reader.next_();
    reader.given_ += reader.last_block_.size();
    *bytes = reader.last_block_.data();
    return static_cast<ssize_t>(reader.last_block_.size());
  } catch (...) {
    // Nothing may be thrown through C; check() throws it again.
    reader.failure_ = std::current_exception();
    return ARCHIVE_FATAL;
  }
}

bool LibarchiveReader::check(int result, std::string_view where) {
  if (failure_) std::rethrow_exception(failure_);
  if (result == ARCHIVE_OK) return true;
  if (result == ARCHIVE_EOF) return false;
  const char* reason = ::archive_error_string(handle_);
  throw Error(ErrorKind::corrupt,
              fmt::format("{} is damaged: {}", where,
                          text::visible(text::lower(reason ? reason : "unknown reason"))));
}

std::uint64_t LibarchiveReader::consumed() const {
  return static_cast<std::uint64_t>(::archive_filter_bytes(handle_, -1));
}

}  // namespace cudaenv::archive
