#include "net/response_check.hpp"

#include <doctest/doctest.h>

using namespace cudaenv::net;
using Take = Verdict::Take;

namespace {

ResponseHead head(int status, const std::string& range = "") {
  ResponseHead result;
  result.status = status;
  result.content_range = range;
  return result;
}

Take take(int status, const std::string& range, std::uint64_t offset,
          std::optional<std::uint64_t> size) {
  return judge(head(status, range), offset, size).take;
}

}  // namespace

TEST_CASE("a Content-Range is read, or it is nothing") {
  const auto range = parse_content_range("bytes 100-199/200");
  REQUIRE(range);
  CHECK(range->first == 100u);
  CHECK(range->last == 199u);
  CHECK(range->total == 200u);
  CHECK_FALSE(parse_content_range("Bytes 0-0/*")->total);
  CHECK_FALSE(parse_content_range("bytes */200")->first);
  for (const char* value : {"", "bytes", "bytes 5/6", "bytes 5-4/9", "bytes -5/9", "bytes a-b/c",
                            "bytes 1-2", "items 1-2/3", "bytes 1-2/3 x", "bytes=1-2/3"}) {
    CAPTURE(value);
    CHECK_FALSE(parse_content_range(value));
  }
}

TEST_CASE("a resumed transfer goes on only where the answer says exactly that") {
  CHECK(take(206, "bytes 100-199/200", 100, 200) == Take::rest);
  CHECK(take(206, "bytes 100-199/200", 100, {}) == Take::rest);
  CHECK(take(206, "bytes 100-199/*", 100, 200) == Take::rest);
  CHECK(take(206, "bytes 101-199/200", 100, 200) == Take::ask_without_range);
  CHECK(take(206, "bytes 0-199/200", 100, 200) == Take::ask_without_range);
  CHECK(take(206, "bytes 100-199/300", 100, 200) == Take::ask_without_range);
  CHECK(take(206, "bytes 100-299/200", 100, 200) == Take::ask_without_range);
  CHECK(take(206, "", 100, 200) == Take::ask_without_range);
  CHECK(take(206, "bytes 0-199/200", 0, 200) == Take::none);
}

TEST_CASE("200 is the whole file, whatever was asked for") {
  CHECK(take(200, "", 0, 200) == Take::from_zero);
  CHECK(take(200, "", 100, 200) == Take::from_zero);
}

TEST_CASE("416 means that all is there, or that what is there is not the beginning") {
  CHECK(take(416, "bytes */100", 100, {}) == Take::nothing);
  CHECK(take(416, "bytes */90", 100, {}) == Take::ask_without_range);
  CHECK(take(416, "", 100, {}) == Take::ask_without_range);
  CHECK(take(416, "bytes */100", 100, 200) == Take::ask_without_range);
  CHECK(take(416, "bytes */100", 0, {}) == Take::none);
}

TEST_CASE("each status is a failure of its kind") {
  for (const int status : {404, 410}) CHECK(status_failure(status) == Failure::absent);
  for (const int status : {408, 425, 429, 500, 502, 503, 504}) {
    CHECK(status_failure(status) == Failure::server_busy);
  }
  for (const int status : {400, 401, 403, 407, 451, 501, 505, 304, 0, 999}) {
    CHECK(status_failure(status) == Failure::refused);
  }
  CHECK(status_failure(204) == Failure::wrong_content);
  CHECK(status_text(404) == "404 Not Found");
  CHECK(status_text(599) == "HTTP status 599");
}

TEST_CASE("a web page is known by how it begins") {
  CHECK(looks_like_html("<!DOCTYPE html>\n<html>", "application/x-xz"));
  CHECK(looks_like_html("\xEF\xBB\xBF \r\n<HTML lang=en>", ""));
  CHECK(looks_like_html("<?xml version='1.0'?><html/>", "application/xhtml+xml"));
  CHECK(looks_like_html("<p>blocked", "Text/HTML; charset=utf-8"));
  CHECK(looks_like_html("", "text/html"));
  CHECK_FALSE(looks_like_html("{\"a\": \"<html>\"}", "text/html"));
  CHECK_FALSE(
      looks_like_html("\xFD"
                      "7zXZ",
                      "text/html"));
  CHECK_FALSE(looks_like_html("<p>", "text/plain"));
  CHECK_FALSE(looks_like_html("", ""));
}

TEST_CASE("a weak ETag does not promise the same bytes") {
  ResponseHead strong;
  strong.etag = "\"1\"";
  strong.last_modified = "then";
  CHECK(validator_of(strong) == "\"1\"");
  strong.etag = "W/\"1\"";
  CHECK(validator_of(strong) == "then");
  CHECK(changed_since("before", strong));
  CHECK_FALSE(changed_since("then", strong));
  CHECK_FALSE(changed_since("", strong));
  CHECK(changed_since("\"1\"", strong));
  CHECK_FALSE(changed_since("\"1\"", ResponseHead{}));
}

TEST_CASE("an ETag without quotes is passed over, and no reason to begin anew") {
  ResponseHead head;
  head.etag = "64f1-5c";
  CHECK(validator_of(head) == "");
  head.last_modified = "Sun, 06 Nov 1994 08:49:37 GMT";
  CHECK(validator_of(head) == head.last_modified);
  CHECK_FALSE(changed_since(validator_of(head), head));
  head.last_modified = "\"yesterday\"";
  CHECK(validator_of(head) == "");
}

TEST_CASE("a date in Retry-After is measured by the server's own clock") {
  ResponseHead busy;
  busy.retry_after = "Sun, 06 Nov 1994 08:50:07 GMT";
  CHECK_FALSE(retry_after_of(busy));
  busy.date = "Sun, 06 Nov 1994 08:49:37 GMT";
  CHECK(retry_after_of(busy) == std::chrono::seconds(30));
  busy.retry_after = "3";
  busy.date.clear();
  CHECK(retry_after_of(busy) == std::chrono::seconds(3));
}

TEST_CASE("an encoding that was not asked for, and a wait that is too long, are told") {
  ResponseHead answer;
  CHECK(encoding_complaint(answer).empty());
  answer.content_encoding = "identity";
  CHECK(encoding_complaint(answer).empty());
  answer.content_encoding = "GZip";
  CHECK(encoding_complaint(answer) == "; it came with `Content-Encoding: gzip`");

  CHECK(wait_complaint(answer, std::chrono::seconds(60)).empty());
  answer.retry_after = "60";
  CHECK(wait_complaint(answer, std::chrono::seconds(60)).empty());
  answer.retry_after = "61";
  CHECK(wait_complaint(answer, std::chrono::seconds(60)) == "; it asks to wait 61 s");
}
