#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace cudaenv::archive {

// Blocks of decoded bytes. Decodes them in a thread of its own while the caller hashes and
// writes, with a bounded queue between, 2 MiB whatever passes through; or without a thread.
class BlockStream {
 public:
  // All blocks but the last have this size. A multiple of tar's 512, so that libarchive never
  // has to put a header together from two blocks.
  static constexpr std::size_t block_size = 1 << 18;

  // Fills the block; returns less than its size only at the end.
  using Fill = std::function<std::size_t(std::span<char>)>;

  enum class Where { own_thread, same_thread };

  BlockStream(Where where, Fill fill);
  BlockStream(const BlockStream&) = delete;
  BlockStream& operator=(const BlockStream&) = delete;
  ~BlockStream();

  // The next block, valid until the next call; empty at the end. Throws what `fill` threw.
  std::string_view next();

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };

  std::string_view next_here();
  void run();
  std::optional<Block> spare_block();

  Fill fill_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> filled_;
  std::vector<Block> spare_;
  std::size_t made_ = 0;
  bool ended_ = false;
  bool abandoned_ = false;
  std::exception_ptr failure_;
  Block current_;
  std::thread thread_;
};

}  // namespace cudaenv::archive
