#include <csignal>
#include <sstream>
#include <sys/resource.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "fetcher.hpp"
#include "sys/sha256.hpp"

using namespace cudaenv;
using namespace cudaenv::test;

namespace {

const std::string content = random_bytes(100'000);

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a wrong archive is refetched once past caches") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "1*flip:5000");

  fetcher.fetch({fetcher.request(server.url("/f"), content)});

  CHECK(fetcher.got() == content);
  const auto requests = server.requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].header("cache-control").empty());
  CHECK(requests[1].header("cache-control") == "no-cache");
  CHECK(requests[1].header("range").empty());
  CHECK(fetcher.progress.counted("file") == content.size());
}

TEST_CASE("an archive that stays wrong is told with both digests and its URL, and is deleted") {
  MirrorServer server;
  Fetcher fetcher;
  std::string wrong = content;
  wrong[7] ^= 1;
  server.put("/f", wrong);

  const auto failure =
      fetcher.failure({fetcher.request(server.url("/f"), content)}, ErrorKind::corrupt);

  CHECK(failure == fmt::format("cannot fetch file: expected SHA-256 {}, received {} from {}; help: "
                               "the bad file was deleted; run the command again, or name another "
                               "source with --mirror",
                               sys::sha256(content).hex(), sys::sha256(wrong).hex(),
                               server.url("/f")));
  CHECK(server.requests().size() == 2);
  CHECK_FALSE(fetcher.has("file"));
  CHECK_FALSE(fetcher.has("file.partial"));
}

TEST_CASE("after a wrong archive the next mirror is asked") {
  MirrorServer bad;
  MirrorServer good;
  Fetcher fetcher;
  bad.put("/f", content);
  bad.rule("/f", "flip:0");
  good.put("/f", content);
  auto request = fetcher.request(bad.url("/f"), content);
  request.urls.push_back(good.url("/f"));
  fetcher.fetch({request});
  CHECK(fetcher.got() == content);
  CHECK(bad.requests().size() == 2);
}

TEST_CASE("a body longer than the file is cut off and refused") {
  for (const char* rule : {"longer:1", "longer:5000000", "endless"}) {
    CAPTURE(rule);
    MirrorServer server;
    Fetcher fetcher;
    server.put("/f", content);
    server.rule("/f", rule);
    const auto failure =
        fetcher.failure({fetcher.request(server.url("/f"), content)}, ErrorKind::corrupt);
    CHECK(contains(failure, "100000"));
    CHECK(server.requests().size() == 2);
    CHECK_FALSE(fetcher.has("file"));
    CHECK_FALSE(fetcher.has("file.partial"));
  }
}

TEST_CASE("a body shorter than the file is a broken transfer, though its length was right") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "1*shorter:30000");
  fetcher.fetch({fetcher.request(server.url("/f"), content)});
  CHECK(fetcher.got() == content);
  CHECK(server.requests().at(1).header("range") == "bytes=70000-");
  CHECK(contains(fetcher.progress.text(), "retry file: it ended after 70000 of 100000 bytes"));
}

TEST_CASE("a file that is shorter on the server ends in an error, not in a loop") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content.substr(0, 70'000));
  const auto failure =
      fetcher.failure({fetcher.request(server.url("/f"), content)}, ErrorKind::network);
  CHECK(contains(failure, "it ended after 70000 of 100000 bytes"));
  CHECK(server.requests().size() < 20);
}

TEST_CASE("a busy server is asked again, and waited for as long as it says") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "1*status:429:1");
  fetcher.fetch({fetcher.request(server.url("/f"), content)});
  CHECK(fetcher.progress.waits() == "1000");
  CHECK(fetcher.got() == content);
}

TEST_CASE("each attempt at a busy server waits longer, and five are enough") {
  MirrorServer server;
  Fetcher fetcher;
  fetcher.options.first_delay = std::chrono::milliseconds(16);
  server.rule("/f", "status:500");
  const auto failure =
      fetcher.failure({fetcher.request(server.url("/f"), content)}, ErrorKind::network);
  CHECK(contains(failure, "500 Internal Server Error"));
  CHECK(server.requests().size() == 5);
  std::istringstream waits(fetcher.progress.waits());
  for (const int least : {8, 16, 32, 64}) {
    int wait = 0;
    waits >> wait;
    CHECK(wait >= least);
    CHECK(wait <= 2 * least);
  }
}

TEST_CASE("a Retry-After beyond our patience means the next mirror") {
  MirrorServer busy;
  MirrorServer idle;
  Fetcher fetcher;
  busy.rule("/f", "status:503:86400");
  idle.put("/f", content);
  auto request = fetcher.request(busy.url("/f"), content);
  request.urls.push_back(idle.url("/f"));
  fetcher.fetch({request});
  CHECK(busy.requests().size() == 1);
  CHECK(fetcher.got() == content);
}

TEST_CASE("a mirror that fails half of the time is worn down") {
  MirrorServer server;
  Fetcher fetcher;
  fetcher.options.attempts = 20;
  fetcher.options.longest_delay = std::chrono::milliseconds(4);
  server.rule("*", "flaky:0.5:7");
  std::vector<net::Request> requests;
  for (int i = 0; i < 30; ++i) {
    const std::string name = "f" + std::to_string(i);
    server.put("/" + name, name);
    requests.push_back(fetcher.request(server.url("/" + name), name, name));
  }
  CHECK(fetcher.fetch(requests).size() == 30);
  CHECK(server.requests().size() > 40);
}

TEST_CASE("silence is given up after the stall limit, and what came is kept") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  server.rule("/f", "1*stall:40000");
  fetcher.fetch({fetcher.request(server.url("/f"), content)});
  CHECK(fetcher.got() == content);
  CHECK(contains(fetcher.progress.text(), "no byte came for 0.15 s"));
  CHECK(server.requests().at(1).header("range") == "bytes=40000-");
}

TEST_CASE("a server that never answers is a stall, too") {
  MirrorServer server;
  Fetcher fetcher;
  fetcher.options.attempts = 2;
  server.rule("/f", "stall_head");
  const auto failure =
      fetcher.failure({fetcher.request(server.url("/f"), content)}, ErrorKind::network);
  CHECK(contains(failure, "no byte came for 0.15 s"));
  CHECK(server.requests().size() == 2);
}

TEST_CASE("a slow transfer is not a stalled one, however long it takes") {
  MirrorServer server;
  Fetcher fetcher;
  fetcher.options.least_rate = 10;
  server.put("/f", "0123456789");
  server.rule("/f", "trickle:40");
  fetcher.fetch({fetcher.request(server.url("/f"), "0123456789")});
  CHECK(fetcher.got() == "0123456789");
  CHECK(server.requests().size() == 1);
}

TEST_CASE("a byte now and then is as good as none, and is given up as well") {
  MirrorServer trickling;
  MirrorServer good;
  Fetcher fetcher;
  fetcher.options.attempts = 2;
  trickling.put("/f", content);
  trickling.rule("/f", "trickle:40");
  good.put("/f", content);
  auto request = fetcher.request(trickling.url("/f"), content);
  CHECK(contains(fetcher.failure({request}, ErrorKind::network), " bytes came in 0.15 s"));
  // What trickled in is progress, but too little to begin counting anew.
  CHECK(trickling.requests().size() == 2);
  request.urls.push_back(good.url("/f"));
  fetcher.fetch({request});
  CHECK(fetcher.got() == content);
}

TEST_CASE("headers that only trickle are given up") {
  MirrorServer server;
  Fetcher fetcher;
  fetcher.options.attempts = 1;
  server.put("/f", content);
  server.rule("/f", "trickle_head:100");
  CHECK(contains(fetcher.failure({fetcher.request(server.url("/f"), content)}),
                 " bytes came in 0.15 s"));
}

TEST_CASE("refusals are not repeated, and a login is asked for where one is missing") {
  MirrorServer server;
  Fetcher fetcher;
  server.rule("/private", "auth:me:secret");
  server.rule("/forbidden", "status:403");
  const auto unauthorized = fetcher.failure({fetcher.request(server.url("/private"), content)});
  CHECK(contains(unauthorized, "401 Unauthorized"));
  CHECK(contains(unauthorized, "~/.netrc"));
  CHECK(contains(fetcher.failure({fetcher.request(server.url("/forbidden"), content)}),
                 "403 Forbidden"));
  CHECK(server.requests().size() == 2);
}

TEST_CASE("headers without an end are given up, and the next mirror is asked") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/bad", content);
  server.put("/good", content);
  server.rule("/bad", "endless_head");
  auto request = fetcher.request(server.url("/bad"), content);
  request.urls.push_back(server.url("/good"));
  fetcher.fetch({request});
  CHECK(fetcher.got() == content);
  CHECK(contains(fetcher.progress.text(), "its headers have no end"));
}

TEST_CASE("a disk that takes no more is told in the words of the disk") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{20'000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto failure =
      fetcher.failure({fetcher.request(server.url("/f"), content)}, ErrorKind::system);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(contains(failure, "file.partial"));
  CHECK(contains(failure, "write"));
  CHECK(server.requests().size() == 1);
}

TEST_CASE("a folder that is not there is an error of the disk, not of the network") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  fetcher.failure({fetcher.request(server.url("/f"), content, "missing/file")}, ErrorKind::system);
  CHECK(server.requests().size() == 1);
}
