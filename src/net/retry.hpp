#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cudaenv::net {

struct Options;

// How an attempt failed, in the terms that decide what happens next.
enum class Failure {
  connect,        // no connection: refused, no route, no such host, TLS handshake cut
  interrupted,    // the connection broke, or stalled, after bytes had come
  server_busy,    // 408, 425, 429, 500, 502, 503, 504
  absent,         // 404, 410
  refused,        // any other 4xx, TLS certificate not accepted, forbidden redirect
  wrong_content,  // HTML instead of a file, wrong size, wrong digest, changed during a resume
};

struct Attempt {
  Failure failure;
  // Of this URL, from 1, counted anew when bytes came. For wrong_content: how often this URL gave
  // wrong content.
  unsigned number = 1;
  std::optional<std::chrono::milliseconds> retry_after;  // as the server asked
};

struct RetryRule {
  unsigned attempts = 5;
  std::chrono::milliseconds first_delay{500};
  std::chrono::milliseconds longest_delay{60'000};
};

// The wait before the next attempt at the same URL, or nothing: go on to the next URL. Pure:
// doubles from first_delay, spread by `jitter` (0 to 1) over the upper half, honours retry_after up
// to longest_delay (a longer one means: next URL). wrong_content is tried once more, whatever
// `attempts` says; absent and refused never.
std::optional<std::chrono::milliseconds> retry_delay(const Attempt& attempt, const RetryRule& rule,
                                                     double jitter);

// Whether a URL that retry_delay() has given up may serve when all others have been asked: unless
// its answer was final, or it asked for a longer wait than ours.
bool worth_another_round(const Attempt& attempt, const RetryRule& rule);

// What the options say of attempts and waits.
RetryRule retry_rule(const Options& options);

// The wait before all URLs are asked again, after `attempts` at the last of them.
std::chrono::milliseconds round_delay(const RetryRule& rule, double jitter);

// A date as HTTP headers spell it, in seconds since the epoch.
std::optional<std::int64_t> parse_http_date(std::string_view value);

// A Retry-After header: seconds, or an HTTP date compared with `now` (seconds since the epoch).
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value,
                                                           std::int64_t now);

}  // namespace cudaenv::net
