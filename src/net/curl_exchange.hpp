#pragma once

#include <array>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/stall_watch.hpp"
#include "net/transport.hpp"

struct curl_slist;

// What only transport.cpp includes. libcurl's own header stays in the .cpp: its handles are void.
namespace cudaenv::net {

struct EasyDeleter {
  void operator()(void* easy) const noexcept;
};
using EasyHandle = std::unique_ptr<void, EasyDeleter>;

struct HeaderListDeleter {
  void operator()(curl_slist* list) const noexcept;
};
using HeaderList = std::unique_ptr<curl_slist, HeaderListDeleter>;

// One GET on libcurl, hop by hop: a redirect is followed by us, so that each hop is checked and
// gets the credentials and the proxy that are its own.
class CurlExchange {
 public:
  using Clock = StallWatch::Clock;

  CurlExchange(const Get& get, Receiver& receiver, const Options& options);
  CurlExchange(const CurlExchange&) = delete;
  CurlExchange& operator=(const CurlExchange&) = delete;

  void* handle() const { return easy_.get(); }

  // The handle has ended with this CURLcode. Nothing when it was made ready for another hop.
  // Rethrows what the receiver threw.
  std::optional<Result> hop_ended(int code);

  // Rethrows what the receiver threw.
  void rethrow() const;

  // Too long without a byte since the connection was made, or with next to none.
  std::optional<Result> stalled(Clock::time_point now);

 private:
  void set_up_once();
  void set_up_trust();
  void set_up_headers();
  void set_up_hop();
  void set_up_proxy();
  void take_credentials();

  static std::size_t header_callback(char* data, std::size_t size, std::size_t count,
                                     void* self) noexcept;
  static std::size_t body_callback(char* data, std::size_t size, std::size_t count,
                                   void* self) noexcept;
  static int connected_callback(void* self, char*, char*, int, int) noexcept;
  template <typename Step>
  bool guarded(std::size_t bytes, Step step) noexcept;

  bool skip(std::size_t bytes) noexcept;
  bool header_line(std::string_view line);
  bool head_complete();
  bool is_redirect() const noexcept;
  std::optional<Result> follow();
  Result transport_failure(int code) const;
  static Result ended(Ending ending, std::string why);

  Get get_;
  Receiver& receiver_;
  const Options& options_;
  std::string url_;  // of this hop, without credentials
  std::string proxy_;
  int redirects_ = 0;
  EasyHandle easy_;
  HeaderList headers_;
  std::array<char, 256> curl_says_{};

  ResponseHead head_;
  std::string location_;
  std::size_t header_bytes_ = 0;
  std::size_t skipped_ = 0;
  bool head_done_ = false;
  bool stopped_ = false;
  bool connected_ = false;
  StallWatch stall_;
  std::exception_ptr thrown_;
};

}  // namespace cudaenv::net
