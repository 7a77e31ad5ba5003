#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/interrupt.hpp"
#include "base/progress.hpp"
#include "sys/environment.hpp"

namespace cudaenv::net {

// One file to fetch. It arrives as `destination`; while it is under way it is
// `destination` + ".partial", which a later call resumes; a destination that is there already is
// hashed, and fetched again only if it is not what was asked for.
struct Request {
  std::vector<std::string> urls;  // tried in order; credentials may stand in them
  std::filesystem::path destination;
  // Checked while writing; a mismatch deletes the partial. Without one, a partial that an earlier
  // run left is not trusted.
  std::optional<Digest> sha256;
  std::optional<std::uint64_t> size;  // bytes; a longer transfer is cut off
  std::string item;                   // for Progress and messages, e.g. "cuda_nvcc 12.1.105"
};

// A small text (a manifest, a listing), kept in memory.
struct TextRequest {
  std::vector<std::string> urls;
  std::string what;                            // for messages: "the manifest of CUDA 13.5.0"
  std::uint64_t limit = 32u << 20;             // bytes
  std::chrono::milliseconds connect_limit{0};  // 0: the downloader's own
  bool patient = true;                         // false: one attempt at each URL
  bool html_allowed = false;                   // a directory listing is HTML; a manifest is not
};

struct TextOutcome {
  // absent: 404/410 from at least one URL; unreachable: no connection to any.
  enum class Kind { found, absent, unreachable };
  Kind kind = Kind::unreachable;
  std::string body;
  std::string url;  // that answered, or the last tried; fit to show
  std::string why;  // where nothing was found: one line
};

// The seam to the network.
class Downloader {
 public:
  virtual ~Downloader() = default;

  // Fetches all, several at once, the largest first. `on_done` is called from the calling thread
  // as each file is complete and verified (index into `requests`), while others go on; an
  // exception from it ends everything. Retries, mirrors and resuming happen inside. Throws the
  // Error of the first file that cannot be had, after the other transfers were stopped with
  // their partials kept; Interrupted when asked to stop.
  virtual void fetch(const std::vector<Request>& requests,
                     const std::function<void(std::size_t)>& on_done) = 0;

  // Tries each URL until one has it. A busy server is asked again, one that can't be reached is
  // not. Throws Error(network) only for what is neither found, absent nor unreachable (a refusal,
  // a redirect that is not allowed, HTML instead of the text).
  virtual TextOutcome fetch_text(const TextRequest& request) = 0;

  // The size of each file in bytes as its server tells it, without fetching the files; nothing
  // for one that is not to be had or of unknown length. No retries: it is for a plan.
  virtual std::vector<std::optional<std::uint64_t>> sizes(const std::vector<std::string>& urls) = 0;
};

struct Options {
  unsigned parallel = 6;  // transfers at once
  std::chrono::milliseconds connect_limit{10'000};
  std::chrono::milliseconds stall_limit{30'000};  // without a byte: gives up on the attempt
  unsigned least_rate = 100;  // bytes a second, over each stall_limit: fewer are as good as none
  unsigned attempts = 5;      // per URL and round, where worth repeating
  std::chrono::milliseconds patience{30'000};       // without a byte: no other round is begun
  std::chrono::milliseconds first_delay{500};       // after the first failure; then it doubles
  std::chrono::milliseconds longest_delay{60'000};  // between attempts, Retry-After included
  std::string ca_bundle;                            // file; empty: what curl's users know
                                                    // (CURL_CA_BUNDLE, SSL_CERT_FILE, default)
  std::string user_agent;                           // "cudaenv/0.1.0"
  // Where proxies, CA bundle and home folder (.netrc) are looked up.
  sys::Environment environment = sys::Environment::of_process();
};

// The real one, on libcurl. Proxies (http_proxy, https_proxy, all_proxy, no_proxy), netrc and
// CA bundles work as curl's users know them. `progress` and `interrupt` must outlive it.
std::unique_ptr<Downloader> make_curl_downloader(const Options& options, Progress& progress,
                                                 const Interrupt& interrupt);

}  // namespace cudaenv::net
