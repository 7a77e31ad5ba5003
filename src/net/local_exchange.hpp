#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "net/transport.hpp"
#include "sys/fd.hpp"

namespace cudaenv::net {

// A GET of a file:// URL, answered block by block as a server would answer it: 200, 206 or 416
// by the offset, 404 where no such file is, 403 where it can't be opened.
class LocalExchange {
 public:
  LocalExchange(const Get& get, Receiver& receiver);

  // One block further; a Result when it is over.
  std::optional<Result> step();

 private:
  ResponseHead open();

  Get get_;
  Receiver& receiver_;
  std::string shown_;
  std::filesystem::path path_;
  sys::Fd file_;
  std::uint64_t left_ = 0;
  bool begun_ = false;
};

// Whether the transport reads this URL itself.
bool is_local(const std::string& url);

}  // namespace cudaenv::net
