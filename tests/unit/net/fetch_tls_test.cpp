#include <doctest/doctest.h>

#include "fetcher.hpp"

using namespace cudaenv;
using namespace cudaenv::test;

namespace {

const std::string content = random_bytes(200'000);

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("https works with a certificate bundle from the options or the environment") {
  MirrorServer server({.tls = true});
  server.put("/f", content);
  server.rule("/f", "1*cut:50000");
  for (const char* variable : {"", "CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    CAPTURE(variable);
    Fetcher fetcher;
    const auto bundle = fetcher.dir.make_file("ca.pem", server.certificate()).string();
    if (*variable) {
      fetcher.variables[variable] = bundle;
    } else {
      fetcher.options.ca_bundle = bundle;
    }
    fetcher.fetch({fetcher.request(server.url("/f"), content)});
    CHECK(fetcher.got() == content);
  }
}

TEST_CASE("a certificate that nobody vouches for is refused at once, with advice") {
  MirrorServer server({.tls = true});
  Fetcher fetcher;
  server.put("/f", content);
  const auto failure =
      fetcher.failure({fetcher.request(server.url("/f"), content)}, ErrorKind::network);
  CHECK(contains(failure, "certificate"));
  CHECK(contains(failure, "help: name the file with the right certificates in CUDAENV_CA_BUNDLE"));
  CHECK(fetcher.progress.waits().empty());
  CHECK_THROWS_AS(fetcher.text({{server.url("/f")}, "the manifest"}), Error);
}

TEST_CASE("http may lead to https, https never to http") {
  MirrorServer plain;
  MirrorServer secure({.tls = true});
  Fetcher fetcher;
  fetcher.options.ca_bundle = fetcher.dir.make_file("ca.pem", secure.certificate()).string();
  plain.put("/f", content);
  plain.rule("/up", "redirect:" + secure.url("/f"));
  secure.put("/f", content);
  secure.rule("/down", "redirect:" + plain.url("/f"));

  fetcher.fetch({fetcher.request(plain.url("/up"), content)});
  CHECK(fetcher.got() == content);

  // Also where it began with http.
  plain.rule("/around", "redirect:" + secure.url("/down"));
  for (const auto& url : {secure.url("/down"), plain.url("/around")}) {
    CAPTURE(url);
    const auto failure = fetcher.failure({fetcher.request(url, content, "other")});
    CHECK(contains(failure, "it redirects from https to http (" + plain.url("/f") + ")"));
  }
  CHECK(plain.requests("/f").empty());
}

TEST_CASE("https goes through a proxy's tunnel") {
  MirrorServer server({.tls = true});
  MirrorServer proxy({.proxy = true, .proxy_login = "me:right"});
  Fetcher fetcher;
  fetcher.options.attempts = 1;
  fetcher.options.ca_bundle = fetcher.dir.make_file("ca.pem", server.certificate()).string();
  server.put("/f", content);
  fetcher.variables["https_proxy"] = "http://me:right@" + proxy.host();
  fetcher.fetch({fetcher.request(server.url("/f"), content)});
  CHECK(fetcher.got() == content);
  CHECK(proxy.requests().at(0).method == "CONNECT");

  fetcher.variables["https_proxy"] = "http://me:wr0ng@" + proxy.host();
  const auto failure = fetcher.failure({fetcher.request(server.url("/f"), content, "other")});
  CHECK(contains(failure, "the proxy answered 407"));
  CHECK(contains(failure, "http://USER:PASSWORD@HOST:PORT"));
  CHECK_FALSE(contains(failure, "wr0ng"));
}

TEST_CASE("a plain server where TLS was expected is a failure to connect") {
  MirrorServer plain;
  Fetcher fetcher;
  fetcher.options.connect_limit = std::chrono::milliseconds(200);
  fetcher.options.attempts = 2;
  const auto failure = fetcher.failure({fetcher.request("https://" + plain.host() + "/f", content)},
                                       ErrorKind::network);
  CHECK(contains(failure, "cannot fetch file: https://" + plain.host() + "/f: "));
}
