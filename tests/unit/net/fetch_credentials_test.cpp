#include <doctest/doctest.h>

#include "fetcher.hpp"
#include "support/http_message.hpp"

using namespace cudaenv;
using namespace cudaenv::test;

namespace {

const std::string content = random_bytes(50'000);

std::string with_login(const MirrorServer& server, const std::string& login,
                       const std::string& path) {
  return "http://" + login + "@" + server.host() + path;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a login in the URL is used and never shown") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "auth:me:p@ss:word");
  server.rule("/f", "1*cut:100");
  fetcher.fetch({fetcher.request(with_login(server, "me:p%40ss%3Aword", "/f"), content)});
  CHECK(fetcher.got() == content);
  CHECK_FALSE(contains(fetcher.progress.text(), "ss"));
  CHECK(contains(fetcher.progress.text(), "begin file 0/50000 " + server.url("/f")));

  const auto failure = fetcher.failure(
      {fetcher.request(with_login(server, "me:wr0ng", "/f?key=hidden"), content, "other")});
  CHECK(contains(failure, "401 Unauthorized"));
  CHECK_FALSE(contains(failure, "wr0ng"));
  CHECK_FALSE(contains(failure, "hidden"));
  CHECK_FALSE(contains(failure, "me:"));
}

TEST_CASE("a malformed URL does not give its login away either") {
  Fetcher fetcher;
  for (const char* url : {"http://me:secret@127.0.0.1:99999/f", "http://me:secret@a b/f",
                          "ftp://me:secret@127.0.0.1/f"}) {
    CAPTURE(url);
    const auto failure = fetcher.failure({fetcher.request(url, content)}, ErrorKind::network);
    CHECK_FALSE(contains(failure + fetcher.progress.text(), "secret"));
  }
}

TEST_CASE("a login stays with its server when that redirects within itself") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/b", content);
  server.rule("/a", "redirect:/b");
  server.rule("/b", "auth:me:secret");
  fetcher.fetch({fetcher.request(with_login(server, "me:secret", "/a"), content)});
  CHECK(fetcher.got() == content);
}

TEST_CASE("a login is not sent on to another server") {
  MirrorServer first;
  MirrorServer second;
  Fetcher fetcher;
  second.put("/b", content);
  first.rule("/a", "redirect:" + second.url("/b"));
  fetcher.fetch({fetcher.request(with_login(first, "me:secret", "/a"), content)});
  CHECK(fetcher.got() == content);
  CHECK(first.requests().at(0).header("authorization") == "Basic " + base64("me:secret"));
  CHECK(second.requests().at(0).header("authorization").empty());
}

TEST_CASE("a login in a redirect goes to the server it is for") {
  MirrorServer first;
  MirrorServer second;
  Fetcher fetcher;
  second.put("/b", content);
  second.rule("/b", "auth:you:other");
  first.rule("/a", "redirect:" + with_login(second, "you:other", "/b"));
  fetcher.fetch({fetcher.request(with_login(first, "me:secret", "/a"), content)});
  CHECK(fetcher.got() == content);
}

TEST_CASE("a login is found in .netrc") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "auth:me:secret");
  fetcher.dir.make_file("home/.netrc", "machine 127.0.0.1 login me password secret\n");
  fetcher.fetch({fetcher.request(server.url("/f"), content)});
  CHECK(fetcher.got() == content);
}

TEST_CASE("a login of .netrc does not follow a redirect to another host") {
  for (const char* other : {"", "machine localhost\n", "machine localhost login you\n",
                            "machine localhost login me\n", "default login me\n"}) {
    CAPTURE(other);
    MirrorServer first;
    MirrorServer second;
    Fetcher fetcher;
    second.put("/b", content);
    first.rule("/a", "auth:me:secret");
    first.rule("/a", "redirect:http://localhost" + second.url("/b").substr(16));
    fetcher.dir.make_file("home/.netrc",
                          std::string("machine 127.0.0.1 login me password secret\n") + other);
    fetcher.fetch({fetcher.request(first.url("/a"), content)});
    CHECK(fetcher.got() == content);
    const auto sent = second.requests().at(0).header("authorization");
    CHECK(sent != "Basic " + base64("me:secret"));
    CHECK(sent != "Basic " + base64("you:secret"));
  }
}

TEST_CASE("a user in the URL gets the password from .netrc") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "auth:you:right");
  fetcher.dir.make_file("home/.netrc",
                        "machine 127.0.0.1 login me password wrong\n"
                        "machine 127.0.0.1 login you password right\n");
  fetcher.fetch({fetcher.request(with_login(server, "you", "/f"), content)});
  CHECK(fetcher.got() == content);
}

TEST_CASE("a proxy is gone through, and no_proxy goes past it") {
  MirrorServer server;
  MirrorServer proxy({.proxy = true});
  Fetcher fetcher;
  server.put("/f", content);
  fetcher.variables["http_proxy"] = "http://" + proxy.host();
  fetcher.fetch({fetcher.request(server.url("/f"), content)});
  CHECK(fetcher.got() == content);
  REQUIRE(proxy.requests().size() == 1);
  CHECK(proxy.requests()[0].target == server.url("/f"));

  fetcher.variables["no_proxy"] = "127.0.0.0/8";
  fetcher.fetch({fetcher.request(server.url("/f"), content, "direct")});
  CHECK(fetcher.got("direct") == content);
  CHECK(proxy.requests().size() == 1);
}

TEST_CASE("a proxy gets its login, the server does not") {
  MirrorServer server;
  MirrorServer proxy({.proxy = true, .proxy_login = "me:p@ss"});
  Fetcher fetcher;
  server.put("/f", content);
  fetcher.variables["all_proxy"] = "me:p%40ss@" + proxy.host();
  fetcher.fetch({fetcher.request(server.url("/f"), content)});
  CHECK(fetcher.got() == content);
  CHECK(server.requests().at(0).header("proxy-authorization").empty());
}

TEST_CASE("a proxy that wants a login says so, and we say where it goes") {
  MirrorServer proxy({.proxy = true, .proxy_login = "me:right"});
  Fetcher fetcher;
  fetcher.variables["http_proxy"] = "http://me:wr0ng@" + proxy.host();
  const auto failure = fetcher.failure({fetcher.request("http://nowhere.invalid/f", content)});
  CHECK(contains(failure, "407 Proxy Authentication Required"));
  CHECK(contains(failure, "http://USER:PASSWORD@HOST:PORT"));
  CHECK_FALSE(contains(failure, "wr0ng"));
}

TEST_CASE("a proxy that can't be reached, or is none, is named without its login") {
  Fetcher fetcher;
  fetcher.options.attempts = 1;
  const std::string dead = dead_url().substr(7);
  fetcher.variables["http_proxy"] = "http://me:secret@" + dead;
  auto failure = fetcher.failure({fetcher.request("http://nowhere.invalid/f", content)});
  CHECK(contains(failure, "the proxy in use is http://" + dead + " (http_proxy)"));
  CHECK_FALSE(contains(failure, "secret"));

  fetcher.variables["http_proxy"] = "http://me:secret@bad host:1";
  failure = fetcher.failure({fetcher.request("http://nowhere.invalid/f", content)});
  CHECK(contains(failure, "`http_proxy` does not name a proxy"));
  CHECK_FALSE(contains(failure, "secret"));
}
