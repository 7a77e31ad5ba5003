#include "net/proxy.hpp"

#include <functional>

#include <doctest/doctest.h>

using namespace cudaenv;
using namespace cudaenv::net;

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

std::string shown(const std::string& url, const Variables& variables) {
  return shown_proxy(url, sys::Environment(variables));
}

}  // namespace

TEST_CASE("each scheme has its variable, and all_proxy stands in for both") {
  CHECK(shown("http://a/", {{"http_proxy", "http://p:1"}}) == "http://p:1 (http_proxy)");
  CHECK(shown("https://a/", {{"http_proxy", "http://p:1"}}).empty());
  CHECK(shown("https://a/", {{"HTTPS_PROXY", "http://p:2"}}) == "http://p:2 (HTTPS_PROXY)");
  CHECK(shown("https://a/", {{"HTTPS_PROXY", "http://p:2"}, {"https_proxy", "http://p:3"}}) ==
        "http://p:3 (https_proxy)");
  CHECK(shown("HTTP://a/", {{"all_proxy", "socks5://p:4"}}) == "socks5://p:4 (all_proxy)");
  CHECK(shown("http://a/", {{"http_proxy", ""}, {"ALL_PROXY", "p:5"}}) == "http://p:5 (ALL_PROXY)");
  CHECK(shown("file:///a", {{"all_proxy", "http://p:1"}}).empty());
}

TEST_CASE("HTTP_PROXY in capitals is not read") {
  CHECK(shown("http://a/", {{"HTTP_PROXY", "http://p:1"}}).empty());
}

TEST_CASE("a proxy is shown without its login") {
  CHECK(shown("http://a/", {{"http_proxy", "http://me:secret@p:1"}}) == "http://p:1 (http_proxy)");
  CHECK(shown("http://a/", {{"http_proxy", "me:secret@p:1"}}) == "http://p:1 (http_proxy)");
}

TEST_CASE("no_proxy names hosts, what is below them, addresses and networks") {
  struct Row {
    const char* url;
    const char* list;
    bool bypassed;
  };
  const Row rows[] = {
      {"http://nvidia.com/", "nvidia.com", true},
      {"http://developer.nvidia.com:80/", "nvidia.com", true},
      {"http://developer.NVIDIA.com/", ".nvidia.COM", true},
      {"http://nvidia.com/", ".nvidia.com", true},
      {"http://nvidia.com./", "nvidia.com", true},
      {"http://notnvidia.com/", "nvidia.com", false},
      {"http://nvidia.com.evil.org/", "nvidia.com", false},
      {"http://b/", "a,b, c", true},
      {"http://c/", "a b c", true},
      {"http://d/", "a,,b", false},
      {"http://d/", "*", true},
      {"http://d/", "", false},
      {"http://10.1.2.3/", "10.1.2.3", true},
      {"http://10.1.2.3:8080/", "10.0.0.0/8", true},
      {"http://11.1.2.3/", "10.0.0.0/8", false},
      {"http://10.1.2.3/", "10.1.2.0/31", false},
      {"http://10.1.2.3/", "0.0.0.0/0", true},
      {"http://10.1.2.3/", "10.0.0.0/99", false},
      {"http://10.1.2.3/", "2.3", false},
      {"http://[::1]:80/", "::1", true},
      {"http://[fe80::1]/", "[fe80::]/10", true},
      {"http://user:pass@inside/", "inside", true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.url);
    CAPTURE(row.list);
    CHECK(bypasses_proxy(row.url, row.list) == row.bypassed);
  }
  CHECK(shown("http://inside/", {{"http_proxy", "p"}, {"NO_PROXY", "inside"}}).empty());
  CHECK_FALSE(
      shown("http://inside/", {{"http_proxy", "p"}, {"no_proxy", "x"}, {"NO_PROXY", "inside"}})
          .empty());
}
