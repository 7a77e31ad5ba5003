#include <doctest/doctest.h>

#include "fetcher.hpp"

using namespace cudaenv;
using namespace cudaenv::test;

namespace {

const std::string content = random_bytes(100'000);

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("F40: a web page with status 200 is told as such, and nothing of it is kept") {
  MirrorServer server;
  Fetcher fetcher;
  server.rule("/f", "html:50");
  const auto failure =
      fetcher.failure({fetcher.request(server.url("/f"), content)}, ErrorKind::corrupt);
  CHECK(failure ==
        "cannot fetch file: an HTML page of 50 bytes came from " + server.url("/f") +
            " - proxy?; help: check http_proxy, https_proxy and no_proxy, or name another source "
            "with --mirror");
  CHECK(server.requests().size() == 2);
  CHECK_FALSE(fetcher.has("file"));
  CHECK_FALSE(fetcher.has("file.partial"));
}

TEST_CASE("after a redirect the page's own address is told as well") {
  MirrorServer server;
  Fetcher fetcher;
  server.rule("/f", "redirect:/login?from=secret");
  server.rule("/login", "html:2000");
  const auto failure = fetcher.failure({fetcher.request(server.url("/f"), content)});
  CHECK(contains(failure, "an HTML page of 2000 bytes came from " + server.url("/f") + " (" +
                              server.url("/login") + ") - proxy?"));
  CHECK_FALSE(contains(failure, "secret"));
}

TEST_CASE(
    "a page is one even when it is called something else, and an archive called HTML is none") {
  MirrorServer server;
  Fetcher fetcher;
  server.rule("/f", "html:50");
  server.rule("/f", "type:application/x-xz");
  CHECK(contains(fetcher.failure({fetcher.request(server.url("/f"), content)}), "an HTML page"));

  server.put("/g", content);
  server.rule("/g", "type:text/html");
  fetcher.fetch({fetcher.request(server.url("/g"), content)});
  CHECK(fetcher.got() == content);
}

TEST_CASE("a portal that lets us through after all costs one attempt and no byte") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "1*html:500000");
  fetcher.dir.make_file("file.partial", content.substr(0, 60'000));
  fetcher.fetch({fetcher.request(server.url("/f"), content)});
  CHECK(fetcher.got() == content);
  CHECK(server.requests().at(1).header("range") == "bytes=60000-");
  CHECK(server.requests().at(1).header("cache-control") == "no-cache");
}

TEST_CASE("an endless page is not read to its end") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", "<html>");
  server.rule("/f", "endless");
  const auto failure = fetcher.failure({fetcher.request(server.url("/f"), content)});
  CHECK(contains(failure, "an HTML page of "));
}

TEST_CASE("the proxy in use is named, without its login") {
  MirrorServer proxy({.proxy = true});
  Fetcher fetcher;
  fetcher.variables["http_proxy"] = "http://me:secret@" + proxy.host();
  proxy.rule("*", "html:50");
  const auto failure = fetcher.failure({fetcher.request("http://nowhere.invalid/f", content)});
  CHECK(contains(failure, "an HTML page of 50 bytes came from http://nowhere.invalid/f - proxy?"));
  CHECK(contains(failure, "the proxy in use is http://" + proxy.host() + " (http_proxy)"));
  CHECK_FALSE(contains(failure, "secret"));
}
