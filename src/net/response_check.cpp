#include "net/response_check.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv::net {
namespace {

using Take = Verdict::Take;

Verdict failed(Failure failure, std::string why) { return {Take::none, failure, std::move(why)}; }

Verdict judge_partial(const ResponseHead& head, std::uint64_t offset,
                      std::optional<std::uint64_t> size) {
  const auto range = parse_content_range(head.content_range);
  const bool fits = range && range->first == offset &&
                    (!size || !range->total || *range->total == *size) &&
                    (!range->total || *range->last < *range->total);
  if (fits && offset > 0) return {Take::rest, {}, {}};
  if (offset > 0) return {Take::ask_without_range, {}, {}};
  return failed(Failure::wrong_content, "a part came though the whole file was asked for");
}

Verdict judge_unsatisfiable(const ResponseHead& head, std::uint64_t offset,
                            std::optional<std::uint64_t> size) {
  if (offset == 0) return failed(Failure::refused, status_text(head.status));
  const auto range = parse_content_range(head.content_range);
  if (!size && range && range->total == offset) return {Take::nothing, {}, {}};
  return {Take::ask_without_range, {}, {}};
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view value) {
  std::string_view rest = text::trimmed(value);
  if (!text::lower(rest.substr(0, 6)).starts_with("bytes ")) return std::nullopt;
  rest = text::trimmed(rest.substr(6));
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto span = rest.substr(0, slash);
  const auto total = rest.substr(slash + 1);

  ContentRange range;
  range.total = text::parse_unsigned(total);
  if (!range.total && total != "*") return std::nullopt;
  if (span == "*") return range;
  const auto dash = span.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  range.first = text::parse_unsigned(span.substr(0, dash));
  range.last = text::parse_unsigned(span.substr(dash + 1));
  if (!range.first || !range.last || *range.first > *range.last) return std::nullopt;
  return range;
}

Verdict judge(const ResponseHead& head, std::uint64_t offset, std::optional<std::uint64_t> size) {
  switch (head.status) {
    case 200:
      return {Take::from_zero, {}, {}};
    case 206:
      return judge_partial(head, offset, size);
    case 416:
      return judge_unsatisfiable(head, offset, size);
    default:
      return failed(status_failure(head.status), status_text(head.status));
  }
}

Failure status_failure(int status) {
  switch (status) {
    case 404:
    case 410:
      return Failure::absent;
    case 408:
    case 425:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return Failure::server_busy;
    default:
      return status >= 200 && status < 300 ? Failure::wrong_content : Failure::refused;
  }
}

std::string status_text(int status) {
  static constexpr std::array<std::pair<int, const char*>, 19> names{{
      {204, "No Content"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {407, "Proxy Authentication Required"},
      {408, "Request Timeout"},
      {410, "Gone"},
      {416, "Range Not Satisfiable"},
      {425, "Too Early"},
      {429, "Too Many Requests"},
      {451, "Unavailable For Legal Reasons"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {511, "Network Authentication Required"},
  }};
  for (const auto& [number, name] : names) {
    if (number == status) return fmt::format("{} {}", status, name);
  }
  return fmt::format("HTTP status {}", status);
}

std::string status_advice(int status) {
  switch (status) {
    case 401:
      return "put the login for that host into ~/.netrc, or into the URL";
    case 407:
      return "put the proxy's login into the variable: http://USER:PASSWORD@HOST:PORT";
    default:
      return {};
  }
}

std::optional<std::chrono::milliseconds> retry_after_of(const ResponseHead& head) {
  const auto now = parse_http_date(head.date);
  const bool is_date = parse_http_date(head.retry_after).has_value();
  if (is_date && !now) return std::nullopt;
  return parse_retry_after(head.retry_after, now.value_or(0));
}

std::string encoding_complaint(const ResponseHead& head) {
  const std::string encoding = text::lower(head.content_encoding);
  if (encoding.empty() || encoding == "identity") return {};
  return fmt::format("; it came with `Content-Encoding: {}`", text::visible(encoding, 40));
}

std::string wait_complaint(const ResponseHead& head, std::chrono::milliseconds longest) {
  const auto asked = retry_after_of(head);
  if (!asked || *asked <= longest) return {};
  return fmt::format("; it asks to wait {} s", asked->count() / 1000);
}

bool looks_like_html(std::string_view beginning, std::string_view content_type) {
  beginning = text::without_byte_order_mark(beginning).substr(0, 512);
  const std::string start = text::lower(text::trimmed(beginning));
  for (const std::string_view mark : {"<!doctype html", "<html", "<head", "<body"}) {
    if (start.starts_with(mark)) return true;
  }
  const std::string type = text::lower(content_type);
  const bool said_to_be = type.starts_with("text/html") || type.starts_with("application/xhtml");
  return said_to_be && (start.empty() || start.starts_with('<'));
}

std::string html_complaint(std::string_view size, const std::string& asked,
                           const std::string& answered) {
  const std::string final_url = asked == answered ? "" : fmt::format(" ({})", answered);
  return fmt::format("an HTML page of {} came from {}{} - proxy?", size, asked, final_url);
}

bool HtmlCount::add(std::size_t bytes) {
  constexpr std::uint64_t limit = 1u << 20;
  bytes_ += bytes;
  return bytes_ <= limit;
}

std::string HtmlCount::text() const { return text::counted(bytes_, "byte"); }

std::string validator_of(const ResponseHead& head) {
  // A weak ETag promises the same meaning, not the same bytes; one without its quotes, as some
  // servers send it, is none in If-Range.
  const bool strong = head.etag.starts_with('"');
  const std::string& validator = strong ? head.etag : head.last_modified;
  // It goes back into a header of ours, where only an ETag begins with a quote.
  const bool clean = std::none_of(validator.begin(), validator.end(),
                                  [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  return clean && (strong || !validator.starts_with('"')) ? validator : "";
}

bool changed_since(const std::string& validator, const ResponseHead& head) {
  if (validator.empty()) return false;
  const bool is_etag = validator.starts_with('"');
  const std::string& now = is_etag ? head.etag : head.last_modified;
  return !now.empty() && now != validator;
}

}  // namespace cudaenv::net
