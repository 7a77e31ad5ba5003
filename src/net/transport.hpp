#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/downloader.hpp"

namespace cudaenv::net {

// One GET.
struct Get {
  std::string url;           // http, https or file; may carry credentials
  std::uint64_t offset = 0;  // above 0: only the rest from there is asked for
  std::string validator;     // an ETag or Last-Modified: the rest only if still the same
  bool past_caches = false;
  std::chrono::milliseconds connect_limit{10'000};
  std::chrono::milliseconds stall_limit{30'000};
};

// What a server says before the body. After redirects: the last one.
struct ResponseHead {
  int status = 0;
  std::string url;  // that answered; fit to show
  std::optional<std::uint64_t> content_length;
  std::string content_type;
  std::string content_encoding;  // which is never asked for
  std::string content_range;
  std::string etag;
  std::string last_modified;
  std::string date;
  std::string retry_after;
};

// Takes a response. May throw; the exception leaves Transport::poll().
class Receiver {
 public:
  virtual ~Receiver() = default;
  // Each returns false to end the exchange there.
  virtual bool on_head(const ResponseHead& head) = 0;
  virtual bool on_body(std::string_view bytes) = 0;
};

enum class Ending {
  complete,  // the whole body came
  stopped,   // the receiver wanted no more
  connect,   // no connection was made
  broken,    // the connection broke or stalled before the end
  refused,   // trying again would not help: certificate, forbidden redirect, malformed URL
};

struct Result {
  Ending ending = Ending::complete;
  std::string why;   // unless complete or stopped; one line, without credentials
  std::string help;  // what to type against it, where that is known
};

// Several GETs at once on one thread. Follows redirects (10 at most, never from https to http,
// only to http and https); credentials of a URL stay with its host. file:// URLs are answered
// as a server would, with 206, 404 and the like.
class Transport {
 public:
  using Id = std::size_t;

  explicit Transport(const Options& options);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // `receiver` must live until the exchange is over or cancelled.
  void start(Id id, const Get& get, Receiver& receiver);

  // Moves all exchanges on, waiting at most `wait` for something to happen; returns those that
  // are over.
  std::vector<std::pair<Id, Result>> poll(std::chrono::milliseconds wait);

  // Drops every exchange without waiting for anything.
  void cancel_all() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cudaenv::net
