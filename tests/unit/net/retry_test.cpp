#include "net/retry.hpp"

#include <doctest/doctest.h>

using namespace cudaenv::net;
using std::chrono::milliseconds;

namespace {

constexpr RetryRule rule{5, milliseconds(500), milliseconds(60'000)};

long delay(Failure failure, unsigned number, double jitter = 1.0) {
  const auto wait = retry_delay({failure, number, {}}, rule, jitter);
  return wait ? static_cast<long>(wait->count()) : -1;
}

long after(long seconds, unsigned number = 1) {
  const auto wait =
      retry_delay({Failure::server_busy, number, milliseconds(1000 * seconds)}, rule, 0.5);
  return wait ? static_cast<long>(wait->count()) : -1;
}

}  // namespace

TEST_CASE("the wait doubles with each attempt until the attempts are used up") {
  for (const auto failure : {Failure::connect, Failure::interrupted, Failure::server_busy}) {
    CHECK(delay(failure, 1) == 500);
    CHECK(delay(failure, 2) == 1000);
    CHECK(delay(failure, 3) == 2000);
    CHECK(delay(failure, 4) == 4000);
    CHECK(delay(failure, 5) == -1);
    CHECK(delay(failure, 99) == -1);
  }
}

TEST_CASE("chance spreads the wait over its upper half, and no further") {
  CHECK(delay(Failure::connect, 2, 0.0) == 500);
  CHECK(delay(Failure::connect, 2, 0.5) == 750);
  CHECK(delay(Failure::connect, 2, 1.0) == 1000);
  CHECK(delay(Failure::connect, 2, -3.0) == 500);
  CHECK(delay(Failure::connect, 2, 7.0) == 1000);
}

TEST_CASE("no number of attempts makes the wait longer than the longest") {
  const RetryRule patient{4'000'000'000u, milliseconds(500), milliseconds(60'000)};
  for (const unsigned number : {8u, 9u, 64u, 3'999'999'999u}) {
    CHECK(retry_delay({Failure::connect, number, {}}, patient, 1.0) == milliseconds(60'000));
  }
}

TEST_CASE("what will not change is not asked again") {
  CHECK(delay(Failure::absent, 1) == -1);
  CHECK(delay(Failure::refused, 1) == -1);
}

TEST_CASE("wrong content is fetched once more, even where attempts are few") {
  CHECK(delay(Failure::wrong_content, 1) == 500);
  CHECK(delay(Failure::wrong_content, 2) == -1);
  const RetryRule once{1, milliseconds(500), milliseconds(60'000)};
  CHECK(retry_delay({Failure::wrong_content, 1, {}}, once, 1.0) == milliseconds(500));
  CHECK_FALSE(retry_delay({Failure::connect, 1, {}}, once, 1.0));
}

TEST_CASE("a server that says when to come back is obeyed, within limits") {
  CHECK(after(0) == 0);
  CHECK(after(7) == 7000);
  CHECK(after(60) == 60'000);
  CHECK(after(61) == -1);
  CHECK(after(7, 5) == -1);
}

TEST_CASE("Retry-After is seconds or a date") {
  constexpr std::int64_t now = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
  CHECK(parse_retry_after("120", now) == milliseconds(120'000));
  CHECK(parse_retry_after(" 0 ", now) == milliseconds(0));
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:50:07 GMT", now) == milliseconds(30'000));
  CHECK(parse_retry_after("Sunday, 06-Nov-94 08:50:07 GMT", now) == milliseconds(30'000));
  CHECK(parse_retry_after("Sun Nov  6 08:50:07 1994", now) == milliseconds(30'000));
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now) == milliseconds(0));
}

TEST_CASE("a Retry-After that makes no sense is as good as none, and none overflows") {
  for (const std::string_view value : {"", "soon", "-5", "1.5", "5 seconds", "0x10", "12:30"}) {
    CAPTURE(value);
    CHECK_FALSE(parse_retry_after(value, 0));
  }
  CHECK(parse_retry_after("18446744073709551615", 0) > milliseconds(60'000));
  CHECK(parse_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", 0) > milliseconds(60'000));
}
