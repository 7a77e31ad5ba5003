#include "support/mirror_server.hpp"

#include <doctest/doctest.h>

#include "fetcher.hpp"

using namespace cudaenv;
using namespace cudaenv::test;

TEST_CASE("the mirror serves a folder, lists it and does not leave it") {
  const TempDir dir;
  dir.make_file("root/compute/a.json", "{}");
  dir.make_file("secret", "secret");
  MirrorServer server({.root = dir / "root"});
  server.put("/compute/b.json", "{}");
  Fetcher fetcher;
  net::TextRequest request{{server.url("/compute/")}, "it"};
  request.html_allowed = true;
  const auto listing = fetcher.text(request).body;
  CHECK(listing.find("<a href=\"a.json\">") != std::string::npos);
  CHECK(listing.find("<a href=\"b.json\">") != std::string::npos);
  CHECK(fetcher.text({{server.url("/compute/a.json")}, "it"}).body == "{}");
  CHECK(fetcher.text({{server.url("/%2e%2e/secret")}, "it"}).kind ==
        net::TextOutcome::Kind::absent);
}

TEST_CASE("the mirror records what it was asked and writes it down") {
  const TempDir dir;
  {
    MirrorServer server({.log = dir / "log"});
    server.put("/a", "12345");
    Fetcher().text({{server.url("/a")}, "it"});
    REQUIRE(server.requests().size() == 1);
    CHECK(server.requests()[0].method == "GET");
    CHECK(server.requests()[0].status == 200);
  }
  CHECK(dir.read("log") == "GET /a 200 5 -\n");
}

TEST_CASE("the mirror refuses rules that it does not know") {
  MirrorServer server;
  CHECK_THROWS_AS(server.rule("/a", "explode"), std::invalid_argument);
  CHECK_THROWS_AS(server.rule("/a", "cut:many"), std::invalid_argument);
  CHECK_THROWS_AS(server.rule("/a", "cut"), std::invalid_argument);
}
