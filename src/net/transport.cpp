#include "net/transport.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <curl/curl.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "net/curl_exchange.hpp"
#include "net/local_exchange.hpp"

namespace cudaenv::net {
namespace {

using std::chrono::milliseconds;

// The longest that a request to stop goes unnoticed.
constexpr milliseconds longest_wait{100};

void initialise_curl() {
  static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (once != CURLE_OK) {
    throw Error(ErrorKind::system, "cannot start libcurl").because(curl_easy_strerror(once));
  }
}

void check(CURLMcode code) {
  if (code == CURLM_OK) return;
  throw Error(ErrorKind::system, "libcurl cannot go on").because(curl_multi_strerror(code));
}

struct MultiDeleter {
  void operator()(void* multi) const noexcept { curl_multi_cleanup(multi); }
};

}  // namespace

struct Transport::Impl {
  using Finished = std::vector<std::pair<Id, Result>>;

  explicit Impl(const Options& wanted) : options(wanted) {
    initialise_curl();
    multi.reset(curl_multi_init());
    if (!multi) throw std::bad_alloc();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { cancel_all(); }

  void step_local(Finished& finished);
  void step_remote(Finished& finished);
  void collect(Finished& finished);
  void drop_stalled(Finished& finished);
  void cancel_all() noexcept;

  Options options;
  std::unique_ptr<void, MultiDeleter> multi;
  std::map<Id, CurlExchange> remote;
  std::map<Id, LocalExchange> local;
  Finished rejected;  // before anything was asked
};

Transport::Transport(const Options& options) : impl_(std::make_unique<Impl>(options)) {}
Transport::~Transport() = default;

void Transport::start(Id id, const Get& get, Receiver& receiver) {
  const std::string scheme = text::lower(get.url.substr(0, get.url.find("://")));
  if (scheme != "http" && scheme != "https" && scheme != "file") {
    impl_->rejected.emplace_back(
        id, Result{Ending::refused, "it is not an http, https or file URL", {}});
    return;
  }
  if (is_local(get.url)) {
    impl_->local.try_emplace(id, get, receiver);
    return;
  }
  const auto [added, fresh] = impl_->remote.try_emplace(id, get, receiver, impl_->options);
  if (fresh) check(curl_multi_add_handle(impl_->multi.get(), added->second.handle()));
}

std::vector<std::pair<Transport::Id, Result>> Transport::poll(milliseconds wait) {
  Impl::Finished finished = std::exchange(impl_->rejected, {});
  impl_->step_local(finished);
  impl_->step_remote(finished);
  const bool idle = finished.empty() && impl_->local.empty();
  if (!idle || wait <= milliseconds(0)) return finished;
  const auto bounded = static_cast<int>(std::min(wait, longest_wait).count());
  check(curl_multi_poll(impl_->multi.get(), nullptr, 0, bounded, nullptr));
  impl_->step_remote(finished);
  return finished;
}

void Transport::cancel_all() noexcept { impl_->cancel_all(); }

void Transport::Impl::step_local(Finished& finished) {
  for (auto it = local.begin(); it != local.end();) {
    auto result = it->second.step();
    if (!result) {
      ++it;
      continue;
    }
    finished.emplace_back(it->first, std::move(*result));
    it = local.erase(it);
  }
}

void Transport::Impl::step_remote(Finished& finished) {
  if (remote.empty()) return;
  int running = 0;
  check(curl_multi_perform(multi.get(), &running));
  for (const auto& [id, exchange] : remote) exchange.rethrow();
  collect(finished);
  drop_stalled(finished);
}

void Transport::Impl::collect(Finished& finished) {
  int queued = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi.get(), &queued)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;  // the message dies with the handle's removal
    const auto ended = std::find_if(remote.begin(), remote.end(), [&](const auto& entry) {
      return entry.second.handle() == message->easy_handle;
    });
    check(curl_multi_remove_handle(multi.get(), ended->second.handle()));
    if (auto result = ended->second.hop_ended(code)) {
      finished.emplace_back(ended->first, std::move(*result));
      remote.erase(ended);
    } else {
      check(curl_multi_add_handle(multi.get(), ended->second.handle()));
    }
  }
}

// Bytes that waited in a socket have just been taken, so a pause of ours counts as nobody's stall.
void Transport::Impl::drop_stalled(Finished& finished) {
  const auto now = CurlExchange::Clock::now();
  for (auto it = remote.begin(); it != remote.end();) {
    auto result = it->second.stalled(now);
    if (!result) {
      ++it;
      continue;
    }
    curl_multi_remove_handle(multi.get(), it->second.handle());
    finished.emplace_back(it->first, std::move(*result));
    it = remote.erase(it);
  }
}

void Transport::Impl::cancel_all() noexcept {
  for (auto& [id, exchange] : remote) {
    curl_multi_remove_handle(multi.get(), exchange.handle());
  }
  remote.clear();
  local.clear();
  rejected.clear();
}

}  // namespace cudaenv::net
