#include <doctest/doctest.h>

#include "fetcher.hpp"

using namespace cudaenv;
using namespace cudaenv::test;

namespace {

const std::string content = random_bytes(300'000);

// The bodies that the server handed out, added up.
std::uint64_t sent(const MirrorServer& server) {
  std::uint64_t bytes = 0;
  for (const auto& request : server.requests()) bytes += request.bytes_sent;
  return bytes;
}

}  // namespace

TEST_CASE("a connection that breaks is taken up where it broke, and only if unchanged") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "1*cut:100000");

  fetcher.fetch({fetcher.request(server.url("/f"), content)});

  CHECK(fetcher.got() == content);
  const auto requests = server.requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[1].header("range") == "bytes=100000-");
  CHECK(requests[1].header("if-range").starts_with('"'));
  CHECK(requests[1].status == 206);
  CHECK(fetcher.progress.counted("file") == content.size());
}

TEST_CASE("a line that breaks every few bytes still brings the file") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "cut:10007");
  fetcher.fetch({fetcher.request(server.url("/f"), content)});
  CHECK(fetcher.got() == content);
  CHECK(server.requests().size() == 30);
}

TEST_CASE("an archive cut at any 64 KiB is resumed to the byte, and no byte comes twice") {
  constexpr std::size_t step = 64u << 10;
  const std::string archive = random_bytes(3'000'000, 5);
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", archive);
  for (std::size_t cut = step; cut < archive.size(); cut += step) {
    CAPTURE(cut);
    MirrorServer once;
    once.put("/f", archive);
    once.rule("/f", "1*cut:" + std::to_string(cut));
    fetcher.fetch({fetcher.request(once.url("/f"), archive)});
    CHECK(fetcher.got() == archive);
    REQUIRE(once.requests().size() == 2);
    CHECK(once.requests()[1].header("range") == "bytes=" + std::to_string(cut) + "-");
    CHECK(sent(once) == archive.size());
    std::filesystem::remove(fetcher.dir / "file");
  }
  server.rule("/f", "cut:" + std::to_string(step));
  fetcher.fetch({fetcher.request(server.url("/f"), archive)});
  CHECK(fetcher.got() == archive);
  CHECK(server.requests().size() == (archive.size() + step - 1) / step);
  CHECK(sent(server) == archive.size());
}

TEST_CASE("breaks shorter than what tells a page from a file lose nothing") {
  MirrorServer server;
  Fetcher fetcher;
  const std::string small = random_bytes(1000);
  server.put("/f", small);
  server.rule("/f", "cut:100");
  fetcher.fetch({fetcher.request(server.url("/f"), small)});
  CHECK(fetcher.got() == small);
  CHECK(server.requests().size() == 10);
}

TEST_CASE("what an earlier run left is hashed and continued") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  fetcher.dir.make_file("file.partial", content.substr(0, 200'000));

  fetcher.fetch({fetcher.request(server.url("/f"), content)});

  CHECK(fetcher.got() == content);
  CHECK(server.requests().at(0).header("range") == "bytes=200000-");
  CHECK(server.requests().at(0).header("if-range").empty());
  CHECK(fetcher.progress.text().starts_with("begin file 200000/300000 "));
  CHECK(fetcher.progress.counted("file") == content.size());
}

TEST_CASE("a complete partial needs no server") {
  Fetcher fetcher;
  fetcher.dir.make_file("file.partial", content);
  CHECK(fetcher.fetch({fetcher.request(dead_url() + "/f", content)}).size() == 1);
  CHECK(fetcher.got() == content);
  CHECK_FALSE(fetcher.has("file.partial"));
}

TEST_CASE("a whole file that an earlier run fetched and did not use needs no server") {
  Fetcher fetcher;
  fetcher.dir.make_file("file", content);
  auto request = fetcher.request(dead_url() + "/f", content);
  CHECK(fetcher.fetch({request}).size() == 1);
  CHECK(fetcher.got() == content);
  CHECK_FALSE(fetcher.has("file.partial"));

  request.urls.clear();
  CHECK(fetcher.fetch({request}).size() == 1);
  CHECK(fetcher.got() == content);
}

TEST_CASE("F41: a file in the destination's place that a power cut damaged is fetched again") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  fetcher.dir.make_file("file", std::string(content.size(), '\0'));
  fetcher.fetch({fetcher.request(server.url("/f"), content)});
  CHECK(fetcher.got() == content);
  CHECK(server.requests().size() == 1);
}

TEST_CASE("a leftover that is damaged, too long or both is replaced") {
  std::string damaged = content;
  damaged[1000] ^= 1;
  for (const std::string& leftover :
       {damaged, damaged.substr(0, 150'000), content + "tail", damaged + "tail"}) {
    CAPTURE(leftover.size());
    MirrorServer server;
    Fetcher fetcher;
    server.put("/f", content);
    fetcher.dir.make_file("file.partial", leftover);
    fetcher.fetch({fetcher.request(server.url("/f"), content)});
    CHECK(fetcher.got() == content);
    CHECK(fetcher.progress.counted("file") == content.size());
    CHECK(server.requests().size() <= 2);
  }
}

TEST_CASE("a link in the partial's place is not written through") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  const auto victim = fetcher.dir.make_file("victim", "precious");
  std::filesystem::create_symlink(victim, fetcher.dir / "file.partial");
  fetcher.fetch({fetcher.request(server.url("/f"), content)});
  CHECK(fetcher.got() == content);
  CHECK(fetcher.got("victim") == "precious");
}

TEST_CASE("a server without ranges, or with wrong ones, is asked for all of it") {
  for (const char* rule : {"ignore_range", "wrong_range", "not_satisfiable"}) {
    CAPTURE(rule);
    MirrorServer server;
    Fetcher fetcher;
    server.put("/f", content);
    server.rule("/f", rule);
    fetcher.dir.make_file("file.partial", content.substr(0, 100'000));
    fetcher.fetch({fetcher.request(server.url("/f"), content)});
    CHECK(fetcher.got() == content);
    CHECK(fetcher.progress.counted("file") == content.size());
    CHECK(fetcher.progress.text().find("restart file") != std::string::npos);
  }
}

TEST_CASE("a server that ignores ranges and always breaks off ends the attempts") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "ignore_range");
  server.rule("/f", "cut:100000");
  const auto failure =
      fetcher.failure({fetcher.request(server.url("/f"), content)}, ErrorKind::network);
  CHECK(server.requests().size() == 5);
  CHECK(failure.find("help: run the command again: it goes on where this one stopped") !=
        std::string::npos);
  CHECK(fetcher.got("file.partial") == content.substr(0, 100'000));
}

TEST_CASE("a file that changes between its halves is noticed by its ETag and fetched from zero") {
  MirrorServer server;
  Fetcher fetcher;
  const std::string after = random_bytes(300'000, 2);
  server.put("/f", content);
  server.put("/after", after);
  server.rule("/f", "1*cut:100000");
  server.rule("/f", "1*then:/after");

  fetcher.fetch({fetcher.request(server.url("/f"), after)});

  CHECK(fetcher.got() == after);
  REQUIRE(server.requests().size() == 2);
  CHECK(server.requests()[1].status == 200);
}

TEST_CASE("a server that overlooks If-Range is caught by what it says of the rest") {
  MirrorServer server;
  Fetcher fetcher;
  const std::string after = random_bytes(300'000, 2);
  server.put("/f", content);
  server.put("/after", after);
  server.rule("/f", "1*cut:100000");
  server.rule("/f", "1*then:/after");
  server.rule("/f", "ignore_if_range");

  fetcher.fetch({{{server.url("/f")}, fetcher.dir / "file", {}, {}, "file"}});

  CHECK(fetcher.got() == after);
}

TEST_CASE("halves that don't belong together are caught by the digest and fetched from zero") {
  MirrorServer server;
  Fetcher fetcher;
  const std::string after = random_bytes(300'000, 2);
  server.put("/f", content);
  server.put("/after", after);
  server.rule("/f", "no_validators");
  server.rule("/f", "1*cut:100000");
  server.rule("/f", "1*then:/after");

  fetcher.fetch({fetcher.request(server.url("/f"), after)});

  CHECK(fetcher.got() == after);
  const auto requests = server.requests();
  REQUIRE(requests.size() == 3);
  CHECK(requests[1].status == 206);
  CHECK(requests[2].header("range").empty());
  CHECK(requests[2].header("cache-control") == "no-cache");
}

TEST_CASE("without a digest nothing of an earlier run is trusted") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", "new content");
  fetcher.dir.make_file("file.partial", "old co");
  fetcher.fetch({{{server.url("/f")}, fetcher.dir / "file", {}, 11u, "file"}});
  CHECK(fetcher.got() == "new content");
}

TEST_CASE("without digest and validators a broken transfer starts from zero") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "no_validators");
  server.rule("/f", "1*cut:1000");
  fetcher.fetch({{{server.url("/f")}, fetcher.dir / "file", {}, {}, "file"}});
  CHECK(fetcher.got() == content);
  CHECK(server.requests().at(1).header("range").empty());
}

TEST_CASE("another mirror goes on with what the first one gave") {
  MirrorServer broken;
  MirrorServer whole;
  Fetcher fetcher;
  fetcher.options.attempts = 1;
  broken.put("/f", content);
  broken.rule("/f", "cut:100000");
  whole.put("/f", content);
  auto request = fetcher.request(broken.url("/f"), content);
  request.urls.push_back(whole.url("/f"));

  fetcher.fetch({request});

  CHECK(fetcher.got() == content);
  CHECK(whole.requests().at(0).header("range") == "bytes=100000-");
  CHECK(whole.requests().at(0).header("if-range").empty());
  CHECK(sent(whole) == 200'000);
}

TEST_CASE("a leftover that is complete is known by 416 where the size was not") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  fetcher.dir.make_file("file.partial", content);
  auto request = fetcher.request(server.url("/f"), content);
  request.size.reset();
  fetcher.fetch({request});
  CHECK(fetcher.got() == content);
  REQUIRE(server.requests().size() == 1);
  CHECK(server.requests()[0].status == 416);
}
