#include "net/retry.hpp"

#include <algorithm>

#include <curl/curl.h>

#include "base/text.hpp"
#include "net/downloader.hpp"

namespace cudaenv::net {
namespace {

using std::chrono::milliseconds;

// first_delay * 2^(number - 1), which must not overflow however large the number.
milliseconds doubled(unsigned number, const RetryRule& rule) {
  milliseconds delay = rule.first_delay;
  for (unsigned i = 1; i < number && delay < rule.longest_delay; ++i) delay *= 2;
  return std::min(delay, rule.longest_delay);
}

// Over the upper half.
milliseconds spread(milliseconds whole, double jitter) {
  const milliseconds half = whole / 2;
  const double part = std::clamp(jitter, 0.0, 1.0) * static_cast<double>((whole - half).count());
  return half + milliseconds(static_cast<milliseconds::rep>(part));
}

bool worth_repeating(const Attempt& attempt, const RetryRule& rule) {
  switch (attempt.failure) {
    case Failure::connect:
    case Failure::interrupted:
    case Failure::server_busy:
      return attempt.number < rule.attempts;
    case Failure::wrong_content:
      return attempt.number < 2;
    case Failure::absent:
    case Failure::refused:
      return false;
  }
  return false;
}

}  // namespace

std::optional<milliseconds> retry_delay(const Attempt& attempt, const RetryRule& rule,
                                        double jitter) {
  if (!worth_repeating(attempt, rule)) return std::nullopt;
  if (attempt.retry_after) {
    if (*attempt.retry_after > rule.longest_delay) return std::nullopt;
    return *attempt.retry_after;
  }
  return spread(doubled(attempt.number, rule), jitter);
}

bool worth_another_round(const Attempt& attempt, const RetryRule& rule) {
  if (attempt.retry_after && *attempt.retry_after > rule.longest_delay) return false;
  return attempt.failure == Failure::connect || attempt.failure == Failure::interrupted ||
         attempt.failure == Failure::server_busy;
}

RetryRule retry_rule(const Options& options) {
  return {options.attempts, options.first_delay, options.longest_delay};
}

milliseconds round_delay(const RetryRule& rule, double jitter) {
  return spread(doubled(rule.attempts, rule), jitter);
}

std::optional<std::int64_t> parse_http_date(std::string_view value) {
  const std::string_view date = text::trimmed(value);
  // Every form begins with a weekday. curl's parser would take a bare number for a date, too.
  if (date.size() < 20 || date.find(':') == std::string_view::npos) return std::nullopt;
  const std::time_t seconds = curl_getdate(std::string(date).c_str(), nullptr);
  if (seconds < 0) return std::nullopt;
  return seconds;
}

std::optional<milliseconds> parse_retry_after(std::string_view value, std::int64_t now) {
  constexpr std::int64_t a_year = 366 * 86'400;  // more is as good as never, and can't overflow
  if (const auto seconds = text::parse_unsigned(text::trimmed(value))) {
    return milliseconds(
        1000 * static_cast<std::int64_t>(std::min<std::uint64_t>(*seconds, std::uint64_t{a_year})));
  }
  const auto date = parse_http_date(value);
  if (!date) return std::nullopt;
  return milliseconds(1000 * std::clamp<std::int64_t>(*date - now, 0, a_year));
}

}  // namespace cudaenv::net
