#include "cli/html.hpp"

#include <doctest/doctest.h>

using namespace cudaenv::cli;

TEST_CASE("what is typed is set as code, and nothing becomes markup") {
  CHECK(html_prose("run `a < b` & wait") == "run <code>a &lt; b</code> &amp; wait");
  CHECK(html_prose("`a` and `b`") == "<code>a</code> and <code>b</code>");
  CHECK(html_prose("one ` alone <b>") == "one ` alone &lt;b&gt;");
  CHECK(html_prose("") == "");
}

TEST_CASE("a time is told for people, anything else as it is") {
  CHECK(html_time("2026-11-30T18:34:07Z") == "2026-11-30 18:34:07 UTC");
  CHECK(html_time("some <time>") == "some &lt;time&gt;");
}
