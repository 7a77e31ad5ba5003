#include "net/curl_exchange.hpp"

#include <utility>

#include <curl/curl.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "net/curl_url.hpp"
#include "net/proxy.hpp"
#include "net/response_check.hpp"

namespace cudaenv::net {
namespace {

constexpr int most_redirects = 10;
constexpr std::size_t most_header_bytes = 256u << 10;
constexpr std::size_t most_skipped_bytes = 64u << 10;
constexpr long receive_buffer = 512L << 10;

template <typename Value>
void set(CURL* easy, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(easy, option, value);
  if (code == CURLE_OK) return;
  throw Error(ErrorKind::system, fmt::format("libcurl refuses option {}", static_cast<int>(option)))
      .because(curl_easy_strerror(code));
}

void allow_protocols(CURL* easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  set(easy, CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

void add_header(HeaderList& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  if (!longer) throw std::bad_alloc();
  list.release();
  list.reset(longer);
}

std::string sentence(const char* curl_words) {
  std::string words = text::visible(text::trimmed(curl_words));
  // "Failed to connect" but "SSL certificate problem": an abbreviation keeps its capitals.
  if (words.size() > 1 && words[1] >= 'a' && words[1] <= 'z') words[0] = text::lower(words)[0];
  return words;
}

Ending ending_of(CURLcode code, bool connected) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PROXY:
      return Ending::connect;
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
      return connected ? Ending::broken : Ending::connect;
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
      return Ending::broken;
    default:
      return Ending::refused;
  }
}

}  // namespace

void EasyDeleter::operator()(void* easy) const noexcept { curl_easy_cleanup(easy); }
void HeaderListDeleter::operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }

CurlExchange::CurlExchange(const Get& get, Receiver& receiver, const Options& options)
    : get_(get),
      receiver_(receiver),
      options_(options),
      url_(get.url),
      easy_(curl_easy_init()),
      stall_(get.stall_limit, options.least_rate) {
  if (!easy_) throw std::bad_alloc();
  set_up_once();
  set_up_hop();
}

void CurlExchange::set_up_once() {
  CURL* easy = easy_.get();
  set(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
  // A name lookup that hangs is left to itself; else removing the handle would wait for it,
  // whatever the connect limit says.
  set(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
  set(easy, CURLOPT_ERRORBUFFER, curl_says_.data());
  static_assert(sizeof(curl_says_) >= CURL_ERROR_SIZE);
  set(easy, CURLOPT_BUFFERSIZE, receive_buffer);
  set(easy, CURLOPT_USERAGENT, options_.user_agent.c_str());
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(get_.connect_limit.count()));
  set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  allow_protocols(easy);
  set(easy, CURLOPT_HEADERFUNCTION, &CurlExchange::header_callback);
  set(easy, CURLOPT_HEADERDATA, this);
  set(easy, CURLOPT_WRITEFUNCTION, &CurlExchange::body_callback);
  set(easy, CURLOPT_WRITEDATA, this);
  set(easy, CURLOPT_PREREQFUNCTION, &CurlExchange::connected_callback);
  set(easy, CURLOPT_PREREQDATA, this);
  set_up_trust();
  set_up_headers();
}

void CurlExchange::set_up_trust() {
  CURL* easy = easy_.get();
  const sys::Environment& environment = options_.environment;
  set(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
  set(easy, CURLOPT_NETRC_FILE, (environment.home() / ".netrc").c_str());
  std::string bundle = options_.ca_bundle;
  for (const char* variable : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    if (bundle.empty()) bundle = environment.non_empty(variable).value_or("");
  }
  if (!bundle.empty()) {
    set(easy, CURLOPT_CAINFO, bundle.c_str());
    set(easy, CURLOPT_PROXY_CAINFO, bundle.c_str());
  }
  if (const auto folder = environment.non_empty("SSL_CERT_DIR")) {
    set(easy, CURLOPT_CAPATH, folder->c_str());
    set(easy, CURLOPT_PROXY_CAPATH, folder->c_str());
  }
}

void CurlExchange::set_up_headers() {
  CURL* easy = easy_.get();
  if (get_.offset > 0) set(easy, CURLOPT_RANGE, fmt::format("{}-", get_.offset).c_str());
  if (get_.offset > 0 && !get_.validator.empty()) {
    add_header(headers_, "If-Range: " + get_.validator);
  }
  if (get_.past_caches) {
    add_header(headers_, "Cache-Control: no-cache");
    add_header(headers_, "Pragma: no-cache");
  }
  set(easy, CURLOPT_HTTPHEADER, headers_.get());
}

void CurlExchange::set_up_hop() {
  head_ = {};
  head_.url = shown_url(url_);
  location_.clear();
  head_done_ = false;
  connected_ = false;
  skipped_ = 0;
  curl_says_[0] = '\0';
  take_credentials();
  set(easy_.get(), CURLOPT_URL, url_.c_str());
  set_up_proxy();
}

// A user alone stays in the URL: curl then finds the password in .netrc. A malformed URL stays as
// it is, for curl to complain about.
void CurlExchange::take_credentials() {
  const auto split = split_credentials(url_);
  const bool has_secret = split && split->password;
  set(easy_.get(), CURLOPT_USERNAME, has_secret ? split->user.value_or("").c_str() : nullptr);
  set(easy_.get(), CURLOPT_PASSWORD, has_secret ? split->password->c_str() : nullptr);
  if (has_secret) url_ = split->url;
}

// curl would read the variables of the process; it is told those of our snapshot. It shows a
// proxy's URL in some messages, so the credentials are taken out first.
void CurlExchange::set_up_proxy() {
  CURL* easy = easy_.get();
  const auto proxy = proxy_for_scheme(url_, options_.environment);
  proxy_ = shown_proxy(url_, options_.environment);
  set(easy, CURLOPT_NOPROXY, no_proxy_list(options_.environment).c_str());
  set(easy, CURLOPT_PROXYUSERNAME, nullptr);
  set(easy, CURLOPT_PROXYPASSWORD, nullptr);
  if (!proxy) {
    set(easy, CURLOPT_PROXY, "");
    return;
  }
  const auto split = split_credentials(proxy->url);
  if (!split) {
    throw Error(ErrorKind::network, fmt::format("`{}` does not name a proxy", proxy->variable))
        .because(fmt::format("it is {}", shown_url(proxy->url)))
        .help(fmt::format("set it to http://HOST:PORT, or unset {}", proxy->variable));
  }
  set(easy, CURLOPT_PROXY, split->url.c_str());
  if (split->user) set(easy, CURLOPT_PROXYUSERNAME, split->user->c_str());
  if (split->password) set(easy, CURLOPT_PROXYPASSWORD, split->password->c_str());
}

template <typename Step>
bool CurlExchange::guarded(std::size_t bytes, Step step) noexcept {
  stall_.count(bytes);
  try {
    if (step()) return true;
    stopped_ = true;
  } catch (...) {
    thrown_ = std::current_exception();
  }
  return false;
}

std::size_t CurlExchange::header_callback(char* data, std::size_t size, std::size_t count,
                                          void* self) noexcept {
  auto& exchange = *static_cast<CurlExchange*>(self);
  const std::string_view line(data, size * count);
  return exchange.guarded(line.size(), [&] { return exchange.header_line(line); }) ? line.size()
                                                                                   : 0;
}

std::size_t CurlExchange::body_callback(char* data, std::size_t size, std::size_t count,
                                        void* self) noexcept {
  auto& exchange = *static_cast<CurlExchange*>(self);
  const std::string_view bytes(data, size * count);
  if (exchange.is_redirect()) return exchange.skip(bytes.size()) ? bytes.size() : 0;
  return exchange.guarded(bytes.size(), [&] { return exchange.receiver_.on_body(bytes); })
             ? bytes.size()
             : 0;
}

// The page that comes with a redirect. A short one is read, so that the connection can be used
// again.
bool CurlExchange::skip(std::size_t bytes) noexcept {
  stall_.count(bytes);
  skipped_ += bytes;
  return skipped_ <= most_skipped_bytes;
}

int CurlExchange::connected_callback(void* self, char*, char*, int, int) noexcept {
  auto& exchange = *static_cast<CurlExchange*>(self);
  exchange.connected_ = true;
  exchange.stall_.begin();
  return CURL_PREREQFUNC_OK;
}

bool CurlExchange::header_line(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > most_header_bytes) return false;
  if (head_done_) return true;  // a trailer
  line = text::trimmed(line);
  if (line.empty()) return head_complete();
  if (text::lower(line.substr(0, 5)) == "http/") {
    const std::string url = head_.url;
    head_ = {};
    head_.url = url;
    location_.clear();
    const auto status = text::parse_unsigned(line.substr(line.find(' ') + 1).substr(0, 3));
    head_.status = static_cast<int>(status.value_or(0));
    return true;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  const std::string name = text::lower(text::trimmed(line.substr(0, colon)));
  const std::string value(text::trimmed(line.substr(colon + 1)));
  if (name == "content-length") head_.content_length = text::parse_unsigned(value);
  if (name == "content-type") head_.content_type = value;
  if (name == "content-encoding") head_.content_encoding = value;
  if (name == "content-range") head_.content_range = value;
  if (name == "etag") head_.etag = value;
  if (name == "last-modified") head_.last_modified = value;
  if (name == "date") head_.date = value;
  if (name == "retry-after") head_.retry_after = value;
  if (name == "location") location_ = value;
  return true;
}

bool CurlExchange::head_complete() {
  if (head_.status >= 100 && head_.status < 200) return true;  // the real head is to come
  head_done_ = true;
  stall_.begin();  // a server may take its time to begin
  return is_redirect() || receiver_.on_head(head_);
}

bool CurlExchange::is_redirect() const noexcept {
  const int status = head_.status;
  return !location_.empty() &&
         (status == 301 || status == 302 || status == 303 || status == 307 || status == 308);
}

void CurlExchange::rethrow() const {
  if (thrown_) std::rethrow_exception(thrown_);
}

std::optional<Result> CurlExchange::hop_ended(int code) {
  rethrow();
  if (header_bytes_ > most_header_bytes) return ended(Ending::refused, "its headers have no end");
  if (stopped_) return ended(Ending::stopped, "");
  const bool cut_short = skipped_ > most_skipped_bytes;
  if (code != CURLE_OK && !cut_short) return transport_failure(code);
  if (is_redirect()) return follow();
  return ended(Ending::complete, "");
}

std::optional<Result> CurlExchange::follow() {
  const std::string next = resolved(url_, location_);
  const std::string scheme = text::lower(next.substr(0, next.find("://")));
  if (scheme != "http" && scheme != "https") {
    return ended(Ending::refused, fmt::format("it redirects to {}, which is not http or https",
                                              shown_url(next.empty() ? location_ : next)));
  }
  if (scheme == "http" && text::lower(url_).starts_with("https:")) {
    return ended(Ending::refused,
                 fmt::format("it redirects from https to http ({})", shown_url(next)));
  }
  if (++redirects_ > most_redirects) {
    return ended(Ending::refused, fmt::format("more than {} redirects", most_redirects));
  }
  // Within one origin the credentials go along; options that set_up_hop() does not touch stay.
  const auto old = split_credentials(get_.url);
  url_ = next;
  set_up_hop();
  const bool own_secret = next != url_;
  if (!own_secret && old && old->password && url_origin(get_.url) == url_origin(url_)) {
    set(easy_.get(), CURLOPT_USERNAME, old->user.value_or("").c_str());
    set(easy_.get(), CURLOPT_PASSWORD, old->password->c_str());
  }
  return std::nullopt;
}

Result CurlExchange::transport_failure(int code) const {
  const auto curl_code = static_cast<CURLcode>(code);
  std::string why = sentence(curl_says_[0] ? curl_says_.data() : curl_easy_strerror(curl_code));
  Ending ending = ending_of(curl_code, connected_);
  long proxy_status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_HTTP_CONNECTCODE, &proxy_status);
  if (proxy_status >= 400 && !connected_) {
    why = fmt::format("the proxy answered {}", proxy_status);
    ending = proxy_status < 500 ? Ending::refused : Ending::connect;
  }
  if (!proxy_.empty()) why += fmt::format("; the proxy in use is {}", proxy_);
  Result result = ended(ending, std::move(why));
  if (curl_code == CURLE_PEER_FAILED_VERIFICATION || curl_code == CURLE_SSL_CACERT_BADFILE) {
    result.help = "name the file with the right certificates in CUDAENV_CA_BUNDLE";
  }
  if (proxy_status == 407) result.help = status_advice(407);
  return result;
}

std::optional<Result> CurlExchange::stalled(Clock::time_point now) {
  if (!connected_) return std::nullopt;
  const auto complaint = stall_.complaint(now);
  if (!complaint) return std::nullopt;
  return ended(Ending::broken, *complaint);
}

Result CurlExchange::ended(Ending ending, std::string why) { return {ending, std::move(why), {}}; }

}  // namespace cudaenv::net
