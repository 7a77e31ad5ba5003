#include "net/fetch_run.hpp"

#include <algorithm>
#include <numeric>

namespace cudaenv::net {

using std::chrono::milliseconds;
using State = FileTransfer::State;

FetchRun::FetchRun(const std::vector<Request>& requests, const TransferContext& context,
                   Transport& transport)
    : requests_(requests),
      context_(context),
      parallel_(std::max(1u, context.options.parallel)),
      transport_(transport),
      queue_(requests.size()) {
  std::iota(queue_.rbegin(), queue_.rend(), std::size_t{0});
  std::stable_sort(queue_.begin(), queue_.end(), [&](std::size_t one, std::size_t other) {
    return requests[one].size.value_or(0) < requests[other].size.value_or(0);
  });
}

void FetchRun::all(const std::function<void(std::size_t)>& on_done) {
  while (!queue_.empty() || !active_.empty()) {
    context_.interrupt.check();
    start_gets();
    begin_transfers();
    const bool preparing = prepare_transfers();
    finish_gets(preparing ? milliseconds(0) : time_to_next_start());
    for (const std::size_t index : take_done()) on_done(index);
  }
}

// A transfer that waits for its next attempt leaves its place to another.
std::size_t FetchRun::occupied() const {
  const auto waiting = std::count_if(active_.begin(), active_.end(), [](const auto& entry) {
    return entry.second.state() == State::waiting;
  });
  return active_.size() - static_cast<std::size_t>(waiting);
}

void FetchRun::start_gets() {
  const auto now = FileTransfer::Clock::now();
  for (auto& [index, transfer] : active_) {
    const bool due =
        transfer.state() == State::waiting && transfer.due() <= now && occupied() < parallel_;
    if (!due && transfer.state() != State::ready) continue;
    transport_.start(index, transfer.next_get(), transfer);
  }
}

void FetchRun::begin_transfers() {
  while (!queue_.empty() && occupied() < parallel_) {
    active_.try_emplace(queue_.back(), requests_[queue_.back()], context_);
    queue_.pop_back();
  }
}

// True while there is more to hash.
bool FetchRun::prepare_transfers() {
  bool preparing = false;
  for (auto& [index, transfer] : active_) {
    if (transfer.state() != State::preparing) continue;
    transfer.prepare_step();
    preparing = true;
  }
  return preparing;
}

milliseconds FetchRun::time_to_next_start() const {
  const auto now = FileTransfer::Clock::now();
  const bool full = occupied() >= parallel_;  // then only the end of another makes room
  milliseconds time(1000);
  for (const auto& [index, transfer] : active_) {
    if (transfer.state() == State::ready || transfer.state() == State::done) return milliseconds(0);
    if (transfer.state() != State::waiting || full) continue;
    const auto left = std::chrono::ceil<milliseconds>(transfer.due() - now);
    time = std::clamp(left, milliseconds(0), time);
  }
  return time;
}

void FetchRun::finish_gets(milliseconds wait) {
  for (const auto& [index, result] : transport_.poll(wait)) active_.at(index).finish(result);
}

std::vector<std::size_t> FetchRun::take_done() {
  std::vector<std::size_t> done;
  for (const auto& [index, transfer] : active_) {
    if (transfer.state() == State::done) done.push_back(index);
  }
  for (const std::size_t index : done) active_.erase(index);
  return done;
}

}  // namespace cudaenv::net
