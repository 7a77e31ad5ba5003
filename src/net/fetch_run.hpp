#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "net/downloader.hpp"
#include "net/file_transfer.hpp"
#include "net/transport.hpp"

namespace cudaenv::net {

// One Downloader::fetch(): all its files, driven on the calling thread. Leaving it, however that
// happens, cancels what is under way.
class FetchRun {
 public:
  FetchRun(const std::vector<Request>& requests, const TransferContext& context,
           Transport& transport);
  FetchRun(const FetchRun&) = delete;
  FetchRun& operator=(const FetchRun&) = delete;
  ~FetchRun() { transport_.cancel_all(); }

  void all(const std::function<void(std::size_t)>& on_done);

 private:
  std::size_t occupied() const;
  void start_gets();
  void begin_transfers();
  bool prepare_transfers();
  std::chrono::milliseconds time_to_next_start() const;
  void finish_gets(std::chrono::milliseconds wait);
  std::vector<std::size_t> take_done();

  const std::vector<Request>& requests_;
  const TransferContext context_;
  const std::size_t parallel_;
  Transport& transport_;
  std::vector<std::size_t> queue_;  // not begun; the largest at the back
  std::map<std::size_t, FileTransfer> active_;
};

}  // namespace cudaenv::net
