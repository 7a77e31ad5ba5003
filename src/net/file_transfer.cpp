#include "net/file_transfer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "net/proxy.hpp"
#include "sys/file.hpp"

namespace cudaenv::net {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t telling_bytes = 256;  // enough to tell a web page from an archive

}  // namespace

FileTransfer::FileTransfer(const Request& request, const TransferContext& context)
    : request_(request),
      context_(context),
      partial_(request.destination),
      past_(request.urls.size()) {}

void FileTransfer::prepare_step() {
  if (!leftover_opened_) {
    leftover_opened_ = true;
    // Without a digest nothing would tell whether the two halves belong together.
    if (request_.sha256) {
      partial_.open_leftover();
    } else {
      partial_.discard();
    }
  }
  if (!partial_.hash_leftover()) prepared();
}

void FileTransfer::prepared() {
  if (request_.size && partial_.size() > *request_.size) partial_.discard();
  furthest_ = partial_.size();
  last_progress_ = Clock::now();
  state_ = State::ready;
  context_.progress.fetch_begin(request_.item, partial_.size(), request_.size.value_or(0),
                                request_.urls.empty() ? "" : shown_url(url()));
  if (!complete() || partial_.size() == 0) return;
  if (partial_.digest() == *request_.sha256) {
    publish();
  } else {
    restart();
  }
}

Get FileTransfer::next_get() {
  if (request_.urls.empty()) {
    throw Error(ErrorKind::missing, fmt::format("no source is known for {}", request_.item));
  }
  while (has_next_url() && is_down(url_origin(url()))) {
    try_next_url(Failure::connect, "it could not be reached for other files");
  }
  if (!request_.sha256 && partial_.size() > 0 && validator_.empty()) restart();
  state_ = State::running;
  begun_ = Clock::now();
  head_ = {};
  verdict_ = {};
  body_ = Body::undecided;
  beginning_.clear();
  page_ = {};

  Get get;
  get.url = url();
  get.offset = partial_.size();
  get.validator = validator_;
  get.past_caches = past_caches_;
  get.connect_limit = context_.options.connect_limit;
  get.stall_limit = context_.options.stall_limit;
  return get;
}

bool FileTransfer::on_head(const ResponseHead& head) {
  head_ = head;
  context_.unreached.erase(url_origin(url()));
  verdict_ = judge(head, partial_.size(), request_.size);
  if (verdict_.take == Verdict::Take::rest && changed_since(validator_, head)) {
    verdict_.take = Verdict::Take::ask_without_range;
  }
  switch (verdict_.take) {
    case Verdict::Take::from_zero:
      return true;
    case Verdict::Take::rest:
      body_ = Body::file;
      return true;
    default:
      body_ = Body::unwanted;
      return false;
  }
}

bool FileTransfer::on_body(std::string_view bytes) {
  context_.interrupt.check();
  switch (body_) {
    case Body::file:
      return store(bytes);
    case Body::page:
      return page_.add(bytes.size());
    case Body::unwanted:
      return false;
    case Body::undecided:
      break;
  }
  beginning_ += bytes;
  return beginning_.size() < telling_bytes || decide_body();
}

// What was there before goes only now: a captive portal's page must not cost a half-fetched file.
bool FileTransfer::decide_body() {
  if (looks_like_html(beginning_, head_.content_type)) {
    body_ = Body::page;
    return page_.add(beginning_.size());
  }
  body_ = Body::file;
  if (request_.size && head_.content_length && *head_.content_length > *request_.size) {
    verdict_ = {
        Verdict::Take::none, Failure::wrong_content,
        fmt::format("it has {} bytes instead of {}", *head_.content_length, *request_.size)};
    return false;
  }
  if (partial_.size() > 0) restart();
  validator_ = validator_of(head_);
  return store(std::exchange(beginning_, {}));
}

bool FileTransfer::store(std::string_view bytes) {
  if (request_.size && bytes.size() > *request_.size - partial_.size()) {
    verdict_ = {Verdict::Take::none, Failure::wrong_content,
                fmt::format("it is longer than {} bytes", *request_.size)};
    restart();
    return false;
  }
  partial_.append(bytes);
  if (!bytes.empty()) context_.progress.fetch_data(request_.item, bytes.size());
  return true;
}

void FileTransfer::restart() {
  partial_.discard();
  validator_.clear();
  context_.progress.fetch_restart(request_.item);
}

void FileTransfer::finish(const Result& result) {
  state_ = State::ready;
  // Too short to be told apart so far; what came before a break is kept.
  const bool answered = result.ending == Ending::complete || result.ending == Ending::broken;
  if (answered && verdict_.take == Verdict::Take::from_zero && body_ == Body::undecided) {
    decide_body();
  }
  switch (result.ending) {
    case Ending::complete:
    case Ending::stopped:
      settle_response();
      return;
    case Ending::connect:
      fail(Failure::connect, result.why);
      return;
    case Ending::refused:
      if (!result.help.empty()) advice_.insert(result.help);
      fail(Failure::refused, result.why);
      return;
    case Ending::broken:
      break;
  }
  fall_short(result.why);
}

// Attempts count anew while each gets further than all before it: a long file over a bad line
// arrives, and a server that always breaks at the same place, or only trickles, ends the loop.
void FileTransfer::fall_short(const std::string& why) {
  const auto seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  const std::uint64_t gained = partial_.size() - std::min(partial_.size(), furthest_);
  const bool moves = static_cast<double>(gained) >= context_.options.least_rate * seconds;
  if (gained > 0 && moves) {
    attempts_ = 0;
    last_progress_ = Clock::now();
  }
  furthest_ = std::max(furthest_, partial_.size());
  fail(Failure::interrupted, why);
}

void FileTransfer::settle_response() {
  if (body_ == Body::page) {
    std::string why = html_complaint(page_.text(), shown_url(url()), head_.url);
    const std::string proxy = shown_proxy(url(), context_.options.environment);
    if (!proxy.empty()) why += fmt::format("; the proxy in use is {}", proxy);
    fail(Failure::wrong_content, why);
    return;
  }
  switch (verdict_.take) {
    case Verdict::Take::none:
      fail(verdict_.failure,
           verdict_.why + (verdict_.failure == Failure::wrong_content
                               ? encoding_complaint(head_)
                               : wait_complaint(head_, context_.options.longest_delay)));
      return;
    case Verdict::Take::ask_without_range:
      restart();
      return;
    case Verdict::Take::nothing:
      verify();
      return;
    case Verdict::Take::from_zero:
    case Verdict::Take::rest:
      break;
  }
  if (request_.size && partial_.size() < *request_.size) {
    fall_short(fmt::format("it ended after {} of {} bytes{}", partial_.size(), *request_.size,
                           encoding_complaint(head_)));
    return;
  }
  verify();
}

void FileTransfer::verify() {
  if (request_.sha256) {
    const Digest received = partial_.digest();
    if (received != *request_.sha256) {
      restart();
      fail(Failure::wrong_content,
           fmt::format("expected SHA-256 {}, received {} from {}{}", request_.sha256->hex(),
                       received.hex(), head_.url, encoding_complaint(head_)));
      return;
    }
  }
  publish();
}

void FileTransfer::publish() {
  partial_.publish();
  state_ = State::done;
  context_.progress.fetch_end(request_.item);
}

void FileTransfer::fail(Failure failure, const std::string& why) {
  if (failure == Failure::connect) {
    const std::string origin = url_origin(url());
    ++context_.unreached[origin];
    if (has_next_url() && is_down(origin)) {
      try_next_url(failure, why);
      return;
    }
  }
  if (failure == Failure::wrong_content) past_caches_ = true;
  if (const auto delay = delay_after(failure)) {
    state_ = State::waiting;
    due_ = Clock::now() + *delay;
    context_.progress.fetch_retry(request_.item, why, static_cast<std::uint64_t>(delay->count()));
    return;
  }
  try_next_url(failure, why);
}

// All files together have tried to connect as often as one alone would. Where there is no other
// URL to go to, each file has its own attempts.
bool FileTransfer::is_down(const std::string& origin) const {
  const auto found = context_.unreached.find(origin);
  return found != context_.unreached.end() && found->second >= context_.options.attempts;
}

std::optional<milliseconds> FileTransfer::delay_after(Failure failure) {
  Attempt attempt{failure, ++attempts_, std::nullopt};
  if (failure == Failure::wrong_content) attempt.number = ++wrong_;
  if (failure == Failure::server_busy) {
    attempt.retry_after = retry_after_of(head_);
  }
  const RetryRule rule = retry_rule(context_.options);
  const auto delay = retry_delay(attempt, rule, jitter());
  past_[url_].hopeless = !delay && !worth_another_round(attempt, rule);
  return delay;
}

double FileTransfer::jitter() {
  return std::uniform_real_distribution<double>(0.0, 1.0)(context_.random);
}

// The next one in this round, or the number of URLs where the round is over.
std::size_t FileTransfer::next_url() const {
  std::size_t next = url_ + 1;
  while (next < past_.size() && past_[next].hopeless) ++next;
  return next;
}

void FileTransfer::try_next_url(Failure failure, const std::string& why) {
  note(failure, why);
  state_ = State::ready;
  url_ = next_url();
  if (url_ < request_.urls.size()) {
    context_.progress.fetch_retry(request_.item, last_why_, 0);
  } else if (!begin_round()) {
    give_up();
  }
  attempts_ = 0;
  wrong_ = 0;
  past_caches_ = false;
  validator_.clear();
}

void FileTransfer::note(Failure failure, const std::string& why) {
  const std::string shown = shown_url(url());
  const bool names_url = why.find(shown) != std::string::npos ||
                         (!head_.url.empty() && why.find(head_.url) != std::string::npos);
  last_why_ = names_url ? why : fmt::format("{}: {}", shown, why);
  past_[url_].why = last_why_;
  if (const std::string advice = status_advice(head_.status); !advice.empty()) {
    advice_.insert(advice);
  }
  corrupt_ = corrupt_ || failure == Failure::wrong_content;
  all_absent_ = all_absent_ && failure == Failure::absent;
}

// A server that is down may come back, and one that fails now and then has other moments: all are
// asked again after a while, as long as that makes sense.
bool FileTransfer::begin_round() {
  const auto hopeful =
      std::find_if(past_.begin(), past_.end(), [](const Past& past) { return !past.hopeless; });
  const auto patience = context_.options.patience;
  if (hopeful == past_.end() || Clock::now() - last_progress_ >= patience) return false;
  for (const auto& url : request_.urls) context_.unreached.erase(url_origin(url));
  url_ = static_cast<std::size_t>(hopeful - past_.begin());
  const auto delay = round_delay(retry_rule(context_.options), jitter());
  state_ = State::waiting;
  due_ = Clock::now() + delay;
  context_.progress.fetch_retry(request_.item, last_why_,
                                static_cast<std::uint64_t>(delay.count()));
  return true;
}

void FileTransfer::give_up() {
  ErrorKind kind = ErrorKind::network;
  if (all_absent_) kind = ErrorKind::missing;
  if (corrupt_) kind = ErrorKind::corrupt;
  Error error(kind, fmt::format("cannot fetch {}", request_.item));
  for (const auto& past : past_) error = std::move(error).because(past.why);
  for (const auto& advice : advice_) error = std::move(error).help(advice);
  error = std::move(error).help(last_advice());
  throw Error(std::move(error));
}

std::string FileTransfer::last_advice() const {
  if (partial_.size() > 0) return "run the command again: it goes on where this one stopped";
  if (body_ == Body::page) {
    return "check http_proxy, https_proxy and no_proxy, or name another source with --mirror";
  }
  if (corrupt_) {
    return "the bad file was deleted; run the command again, or name another source with --mirror";
  }
  if (all_absent_) return "name another source with --mirror";
  return "check the network and the proxy variables, or name another source with --mirror";
}

}  // namespace cudaenv::net
