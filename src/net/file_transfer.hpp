#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "net/downloader.hpp"
#include "net/partial_file.hpp"
#include "net/response_check.hpp"
#include "net/retry.hpp"
#include "net/transport.hpp"

namespace cudaenv::net {

// What the transfers of one downloader share.
struct TransferContext {
  const Options& options;
  Progress& progress;
  const Interrupt& interrupt;
  std::map<std::string, unsigned>& unreached;  // origin: failures to connect in a row
  std::minstd_rand& random;
};

// One file on its way, whatever number of attempts and URLs that takes.
//
//   preparing --+--> ready --> running --+--> done
//               |      ^  ^      |       |
//               |      |  +------+       +--> waiting --> (running)
//               +--> done
//
// preparing: hashes what an earlier run left. waiting: until due(). Whoever drives it calls
// prepare_step() while preparing, next_get() and then finish() for each GET. They throw the Error
// when every URL was given up, and what the disk refuses.
class FileTransfer final : public Receiver {
 public:
  enum class State { preparing, ready, running, waiting, done };
  using Clock = std::chrono::steady_clock;

  FileTransfer(const Request& request, const TransferContext& context);
  FileTransfer(const FileTransfer&) = delete;
  FileTransfer& operator=(const FileTransfer&) = delete;

  State state() const { return state_; }
  Clock::time_point due() const { return due_; }

  void prepare_step();
  Get next_get();
  void finish(const Result& result);

  bool on_head(const ResponseHead& head) override;
  bool on_body(std::string_view bytes) override;

 private:
  enum class Body { undecided, file, page, unwanted };

  const std::string& url() const { return request_.urls[url_]; }
  bool has_next_url() const { return next_url() < request_.urls.size(); }
  std::size_t next_url() const;
  bool is_down(const std::string& origin) const;
  void prepared();
  bool complete() const { return request_.size && partial_.size() == *request_.size; }

  bool decide_body();
  bool store(std::string_view bytes);
  void restart();

  void settle_response();
  void verify();
  void publish();

  void fall_short(const std::string& why);
  void fail(Failure failure, const std::string& why);
  std::optional<std::chrono::milliseconds> delay_after(Failure failure);
  double jitter();
  void try_next_url(Failure failure, const std::string& why);
  void note(Failure failure, const std::string& why);
  bool begin_round();
  [[noreturn]] void give_up();
  std::string last_advice() const;

  const Request request_;
  TransferContext context_;
  PartialFile partial_;
  State state_ = State::preparing;
  Clock::time_point due_;
  bool leftover_opened_ = false;

  // Of this URL.
  std::size_t url_ = 0;
  unsigned attempts_ = 0;  // that failed since bytes last came
  unsigned wrong_ = 0;     // that gave wrong content
  bool past_caches_ = false;
  std::string validator_;
  std::uint64_t furthest_ = 0;  // bytes that any attempt reached

  // Of this GET.
  ResponseHead head_;
  Verdict verdict_;
  Clock::time_point begun_;
  Body body_ = Body::undecided;
  std::string beginning_;  // kept back until it is known whether it is a web page
  HtmlCount page_;

  // Of each URL, and of all.
  struct Past {
    std::string why;        // the last failure
    bool hopeless = false;  // asking again would change nothing
  };
  std::vector<Past> past_;
  std::string last_why_;
  Clock::time_point last_progress_ = Clock::now();
  std::set<std::string> advice_;
  bool corrupt_ = false;
  bool all_absent_ = true;
};

}  // namespace cudaenv::net
