#include <memory>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "fetcher.hpp"

using namespace cudaenv;
using namespace cudaenv::test;

namespace {

const std::string content = random_bytes(300'000);

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Several mirrors, asked for a while.
struct Rounds : Fetcher {
  Rounds() {
    options.attempts = 2;
    options.patience = std::chrono::milliseconds(20'000);
  }
  net::Request request_at(const MirrorServer& first, const MirrorServer& second) const {
    auto both = request(first.url("/f"), content);
    both.urls.push_back(second.url("/f"));
    return both;
  }
};

}  // namespace

TEST_CASE("a mirror that comes back serves again where the other lacks the file") {
  MirrorServer first;
  MirrorServer second;
  Rounds fetcher;
  first.put("/f", content);
  first.rule("/f", "5*status:503");
  fetcher.fetch({fetcher.request_at(first, second)});
  CHECK(fetcher.got() == content);
  CHECK(first.requests().size() == 6);
  // Who has nothing is not asked twice.
  CHECK(second.requests().size() == 1);
}

TEST_CASE("a mirror that dies in the middle is followed by the next one, which goes on there") {
  auto first = std::make_unique<MirrorServer>();
  MirrorServer second;
  Rounds fetcher;
  first->put("/f", content);
  first->rule("/f", "stall:100000");
  second.put("/f", content);
  const auto request = fetcher.request_at(*first, second);
  fetcher.progress.on_data = [&] {
    if (fetcher.progress.counted("file") == 100'000) first.reset();
  };
  fetcher.fetch({request});
  CHECK(fetcher.got() == content);
  REQUIRE(second.requests().size() == 1);
  CHECK(second.requests()[0].header("range") == "bytes=100000-");
  CHECK(second.requests()[0].bytes_sent == 200'000);
}

TEST_CASE("where both fail now and then, the file comes from both") {
  MirrorServer first;
  MirrorServer second;
  Rounds fetcher;
  for (MirrorServer* server : {&first, &second}) {
    server->put("/f", content);
    server->rule("/f", "3*status:502");
    server->rule("/f", "cut:60000");
  }
  fetcher.fetch({fetcher.request_at(first, second)});
  CHECK(fetcher.got() == content);
}

TEST_CASE("patience ends, and the error names each mirror once") {
  MirrorServer first;
  MirrorServer second;
  Rounds fetcher;
  fetcher.options.patience = std::chrono::milliseconds(500);
  first.rule("/f", "status:503");
  second.rule("/f", "reset");
  const auto failure = fetcher.failure({fetcher.request_at(first, second)}, ErrorKind::network);
  CHECK(contains(failure, "cannot fetch file: " + first.url("/f") +
                              ": 503 Service Unavailable: " + second.url("/f") + ": "));
  CHECK(contains(failure, "reset"));
  CHECK(first.requests().size() >= 2);
}

TEST_CASE("no mirror is asked again when none of their answers can change") {
  MirrorServer first;
  MirrorServer second;
  Rounds fetcher;
  first.rule("/f", "status:503:86400");
  second.rule("/f", "status:403");
  const auto failure = fetcher.failure({fetcher.request_at(first, second)}, ErrorKind::network);
  CHECK(contains(failure, "503 Service Unavailable"));
  CHECK(first.requests().size() == 1);
  CHECK(second.requests().size() == 1);
}

TEST_CASE("half of all requests may fail, in every way") {
  for (const char* seed : {"1", "2", "3", "4", "5"}) {
    CAPTURE(seed);
    MirrorServer server;
    Fetcher fetcher;
    fetcher.options.patience = std::chrono::milliseconds(20'000);
    fetcher.options.longest_delay = std::chrono::milliseconds(4);
    server.rule("*", fmt::format("shaky:0.5:{}", seed));
    std::vector<net::Request> requests;
    for (unsigned i = 0; i < 30; ++i) {
      const std::string name = "f" + std::to_string(i);
      const std::string bytes = random_bytes(50'000, i);
      server.put("/" + name, bytes);
      requests.push_back(fetcher.request(server.url("/" + name), bytes, name));
    }
    CHECK(fetcher.fetch(requests).size() == 30);
    CHECK(fetcher.text({{server.url("/f7")}, "the manifest"}).body == fetcher.got("f7"));
  }
}

TEST_CASE("a text is looked for in rounds, too, unless its host can't be reached") {
  MirrorServer first;
  MirrorServer second;
  Rounds fetcher;
  first.put("/f", "text");
  first.rule("/f", "5*status:503");
  CHECK(fetcher.text({{first.url("/f"), second.url("/f")}, "the manifest"}).body == "text");
  CHECK(second.requests().size() == 1);
  CHECK(fetcher.text({{dead_url() + "/f"}, "the manifest"}).kind ==
        net::TextOutcome::Kind::unreachable);

  net::TextRequest hasty{{second.url("/g")}, "the manifest"};
  hasty.patient = false;
  second.rule("/g", "status:503");
  CHECK_THROWS_AS(fetcher.text(hasty), Error);
  CHECK(second.requests("/g").size() == 1);
}
