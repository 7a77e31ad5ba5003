#include <doctest/doctest.h>

#include "base/url.hpp"
#include "fetcher.hpp"

using namespace cudaenv;
using namespace cudaenv::test;

TEST_CASE("a file arrives whole, under its own name only, and is reported as it comes") {
  MirrorServer server;
  Fetcher fetcher;
  const std::string content = random_bytes(1'500'000);
  server.put("/a b.tar.xz", content);

  const auto done = fetcher.fetch({fetcher.request(server.url("/a%20b.tar.xz"), content)});

  CHECK(done == std::vector<std::size_t>{0});
  CHECK(fetcher.got() == content);
  CHECK_FALSE(fetcher.has("file.partial"));
  CHECK(fetcher.progress.text() ==
        "begin file 0/1500000 " + server.url("/a%20b.tar.xz") + "\ndata file 1500000\nend file\n");
  CHECK(server.requests().at(0).header("user-agent") == "cudaenv/test");
  CHECK(server.requests().at(0).header("range").empty());
}

TEST_CASE("files of every awkward size arrive, with and without a stated length") {
  MirrorServer server;
  Fetcher fetcher;
  std::vector<net::Request> requests;
  for (const std::size_t size : {0u, 1u, 255u, 256u, 257u, 65'536u, 600'000u}) {
    const std::string name = std::to_string(size);
    const std::string content = random_bytes(size, static_cast<unsigned>(size));
    server.put("/" + name, content);
    server.put("/chunked/" + name, content);
    requests.push_back(fetcher.request(server.url("/" + name), content, name));
    requests.push_back(fetcher.request(server.url("/chunked/" + name), content, name + "c"));
  }
  server.rule("/chunked/*", "chunked");

  CHECK(fetcher.fetch(requests).size() == requests.size());

  for (const std::size_t size : {0u, 1u, 255u, 256u, 257u, 65'536u, 600'000u}) {
    CHECK(fetcher.got(std::to_string(size)) == random_bytes(size, static_cast<unsigned>(size)));
    CHECK(fetcher.got(std::to_string(size) + "c").size() == size);
  }
}

TEST_CASE("a file without a known digest and size is taken as it comes") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", "some text");
  fetcher.fetch({{{server.url("/f")}, fetcher.dir / "file", {}, {}, "file"}});
  CHECK(fetcher.got() == "some text");
}

TEST_CASE("redirects are followed, relative ones and to another server") {
  MirrorServer origin;
  MirrorServer mirror;
  Fetcher fetcher;
  origin.put("/real", "content");
  mirror.rule("/a", "redirect:b?token=1");
  mirror.rule("/b", "redirect:" + origin.url("/real"));

  fetcher.fetch({fetcher.request(mirror.url("/a"), "content")});

  CHECK(fetcher.got() == "content");
  CHECK(mirror.requests("/b?token=1").size() == 1);
}

TEST_CASE("the page of a redirect is not read to an end that never comes") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/b", "content");
  server.rule("/a", "redirect:/b");
  server.rule("/a", "endless");
  fetcher.fetch({fetcher.request(server.url("/a"), "content")});
  CHECK(fetcher.got() == "content");
}

TEST_CASE("ten redirects are followed and a loop is left") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/10", "content");
  for (int i = 0; i < 10; ++i) {
    server.rule("/" + std::to_string(i), "redirect:/" + std::to_string(i + 1));
  }
  fetcher.fetch({fetcher.request(server.url("/0"), "content")});
  CHECK(fetcher.got() == "content");

  server.rule("/loop", "redirect:/loop");
  const auto failure = fetcher.failure({fetcher.request(server.url("/loop"), "content", "other")},
                                       ErrorKind::network);
  CHECK(failure.find("more than 10 redirects") != std::string::npos);
  CHECK(server.requests("/loop").size() == 11);
}

TEST_CASE("a redirect leads only to http and https") {
  MirrorServer server;
  Fetcher fetcher;
  const auto secret = fetcher.dir.make_file("secret", "content");
  for (const std::string& target : {"file://" + secret.string(), std::string("ftp://127.0.0.1/x"),
                                    std::string("gopher://127.0.0.1/x")}) {
    CAPTURE(target);
    server.rule("/x", "1*redirect:" + target);
    const auto failure = fetcher.failure({fetcher.request(server.url("/x"), "content")});
    CHECK(failure.find("which is not http or https") != std::string::npos);
    CHECK_FALSE(fetcher.has("file"));
  }
}

TEST_CASE("a Location that leads nowhere is a refusal") {
  MirrorServer server;
  Fetcher fetcher;
  server.rule("/x", "redirect:http://[");
  const auto failure = fetcher.failure({fetcher.request(server.url("/x"), "content")});
  CHECK(failure.find("cannot fetch file") != std::string::npos);
}

TEST_CASE("URLs are tried in their order, and the error tells what each gave") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/good", "content");
  auto request = fetcher.request(dead_url(), "content");
  request.urls.push_back(server.url("/missing"));
  request.urls.push_back(server.url("/good"));
  fetcher.fetch({request});
  CHECK(fetcher.got() == "content");
  CHECK(server.requests().size() == 2);

  request.urls.pop_back();
  std::filesystem::remove(request.destination);
  const auto failure = fetcher.failure({request}, ErrorKind::network);
  CHECK(failure.find("cannot fetch file: " + request.urls[0] + ": ") == 0);
  CHECK(failure.find(request.urls[1] + ": 404 Not Found") != std::string::npos);
}

TEST_CASE("what no URL has is missing, not a network failure") {
  MirrorServer server;
  Fetcher fetcher;
  auto request = fetcher.request(server.url("/a"), "content");
  request.urls.push_back(server.url("/b"));
  fetcher.failure({request}, ErrorKind::missing);
  CHECK(server.requests().size() == 2);
  CHECK_FALSE(fetcher.has("file.partial"));
}

TEST_CASE("an IPv6 address works in a URL") {
  Fetcher fetcher;
  std::unique_ptr<MirrorServer> server;
  try {
    server = std::make_unique<MirrorServer>(MirrorOptions{.ipv6 = true});
  } catch (const std::runtime_error&) {
    MESSAGE("skipped: this machine has no IPv6 loopback");
    return;
  }
  server->put("/f", "content");
  fetcher.fetch({fetcher.request(server->url("/f"), "content")});
  CHECK(fetcher.got() == "content");
}

TEST_CASE("a malformed URL is an error that says so, at once") {
  Fetcher fetcher;
  for (const char* url : {"http://", "http://127.0.0.1:99999/x", "nonsense", "", "http://a b/",
                          "ftp://127.0.0.1/x", "file:relative", "file://host/x", "/etc/hosts"}) {
    CAPTURE(url);
    const auto failure = fetcher.failure({fetcher.request(url, "content")}, ErrorKind::network);
    CHECK(failure.find("cannot fetch file") == 0);
  }
  CHECK(fetcher.progress.waits().empty());
}
