#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string_view>

struct archive;

namespace cudaenv::archive {

// A handle of libarchive that reads from a function of ours. What that throws passes through
// libarchive as a failure and comes out of check().
class LibarchiveReader {
 public:
  using Next = std::function<std::string_view()>;  // empty at the end

  explicit LibarchiveReader(Next next);
  LibarchiveReader(const LibarchiveReader&) = delete;
  LibarchiveReader& operator=(const LibarchiveReader&) = delete;
  ~LibarchiveReader();

  struct ::archive* handle() {
    return handle_;
  }
  void open();

  // False at the end; throws for everything that is not plain success. `where` begins the message.
  bool check(int result, std::string_view where);

  // Bytes that were taken from us and understood, and all that we gave.
  std::uint64_t consumed() const;
  std::uint64_t given() const { return given_; }
  std::string_view last_block() const { return last_block_; }

 private:
  static ssize_t read(struct ::archive*, void* self, const void** bytes) noexcept;

  struct ::archive* handle_;
  Next next_;
  std::exception_ptr failure_;
  std::uint64_t given_ = 0;
  std::string_view last_block_;
};

}  // namespace cudaenv::archive
