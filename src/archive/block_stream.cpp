#include "archive/block_stream.hpp"

#include <system_error>

#include "archive/packed_file.hpp"

namespace cudaenv::archive {
namespace {

constexpr std::size_t most_blocks = 8;

}  // namespace

BlockStream::BlockStream(Where where, Fill fill) : fill_(std::move(fill)) {
  if (where == Where::same_thread) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    // No more threads may be had: next() decodes.
  }
}

BlockStream::~BlockStream() {
  {
    const std::scoped_lock lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::string_view BlockStream::next() {
  if (!thread_.joinable()) return next_here();
  std::unique_lock lock(mutex_);
  if (current_.bytes) spare_.push_back(std::move(current_));
  current_ = Block();
  changed_.notify_all();
  changed_.wait(lock, [this] { return !filled_.empty() || ended_; });
  if (!filled_.empty()) {
    current_ = std::move(filled_.front());
    filled_.pop_front();
  } else if (failure_) {
    std::rethrow_exception(failure_);
  }
  return {current_.bytes.get(), current_.size};
}

std::string_view BlockStream::next_here() {
  if (!current_.bytes) current_.bytes = raw_memory(block_size);
  current_.size = ended_ ? 0 : fill_({current_.bytes.get(), block_size});
  ended_ = current_.size < block_size;
  return {current_.bytes.get(), current_.size};
}

void BlockStream::run() {
  std::exception_ptr failure;
  try {
    while (std::optional<Block> block = spare_block()) {
      block->size = fill_({block->bytes.get(), block_size});
      const bool last = block->size < block_size;
      const std::scoped_lock lock(mutex_);
      if (block->size > 0) filled_.push_back(std::move(*block));
      changed_.notify_all();
      if (last) break;
    }
  } catch (...) {
    // Whatever it is, the thread that asks for the next block gets it.
    failure = std::current_exception();
  }
  const std::scoped_lock lock(mutex_);
  failure_ = failure;
  ended_ = true;
  changed_.notify_all();
}

std::optional<BlockStream::Block> BlockStream::spare_block() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return abandoned_ || !spare_.empty() || made_ < most_blocks; });
  if (abandoned_) return std::nullopt;
  if (spare_.empty()) {
    ++made_;
    return Block{raw_memory(block_size), 0};
  }
  Block block = std::move(spare_.back());
  spare_.pop_back();
  return block;
}

}  // namespace cudaenv::archive
