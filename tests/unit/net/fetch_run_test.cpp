#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include <doctest/doctest.h>

#include "fetcher.hpp"

using namespace cudaenv;
using namespace cudaenv::test;
using std::chrono::milliseconds;

namespace {

using Clock = std::chrono::steady_clock;

// Many files of different sizes on one server.
std::vector<net::Request> put_files(MirrorServer& server, const Fetcher& fetcher, int count) {
  std::vector<net::Request> requests;
  for (int i = 0; i < count; ++i) {
    const std::string name = "f" + std::to_string(i);
    const std::string content = random_bytes(1000 * static_cast<std::size_t>(i + 1));
    server.put("/" + name, content);
    requests.push_back(fetcher.request(server.url("/" + name), content, name));
  }
  return requests;
}

// How long it takes fetch() to leave after somebody asked it to stop.
milliseconds time_to_stop(Fetcher& fetcher, const std::vector<net::Request>& requests) {
  Clock::time_point asked;
  std::thread user([&] {
    std::this_thread::sleep_for(milliseconds(120));
    asked = Clock::now();
    fetcher.interrupt.signal = 2;
  });
  CHECK_THROWS_AS(fetcher.fetch(requests), Interrupted);
  const auto left = Clock::now();
  user.join();
  return std::chrono::duration_cast<milliseconds>(left - asked);
}

}  // namespace

TEST_CASE("files come several at once, no more than allowed, the largest first") {
  MirrorServer server;
  Fetcher fetcher;
  fetcher.options.parallel = 3;
  const auto requests = put_files(server, fetcher, 12);
  server.rule("*", "delay:30");
  fetcher.fetch(requests);
  CHECK(server.busiest() == 3);
  std::set<std::string> first;
  for (const auto& request : server.requests()) {
    if (first.size() < 3) first.insert(request.target);
  }
  CHECK(first == std::set<std::string>{"/f9", "/f10", "/f11"});
}

TEST_CASE("one at a time is in the order of size, and requests of unknown size come last") {
  MirrorServer server;
  Fetcher fetcher;
  fetcher.options.parallel = 1;
  auto requests = put_files(server, fetcher, 5);
  requests[4].size.reset();
  CHECK(fetcher.fetch(requests) == std::vector<std::size_t>{3, 2, 1, 0, 4});
}

TEST_CASE("each file is handed over as it is complete, while others go on") {
  MirrorServer server;
  Fetcher fetcher;
  const auto requests = put_files(server, fetcher, 2);
  server.rule("/f1", "1*stall:500");
  fetcher.options.stall_limit = milliseconds(500);
  std::vector<std::string> order;
  fetcher.options.environment = sys::Environment(fetcher.variables);
  net::make_curl_downloader(fetcher.options, fetcher.progress, fetcher.interrupt)
      ->fetch(requests, [&](std::size_t index) {
        CHECK(fetcher.got(requests[index].item).size() == *requests[index].size);
        order.push_back(requests[index].item);
        if (index == 0) CHECK_FALSE(fetcher.has("f1"));
      });
  CHECK(order == std::vector<std::string>{"f0", "f1"});
}

TEST_CASE("a transfer that waits for its turn does not hold up the others") {
  MirrorServer server;
  Fetcher fetcher;
  fetcher.options.parallel = 1;
  const auto requests = put_files(server, fetcher, 3);
  server.rule("/f2", "1*status:503:1");
  CHECK(fetcher.fetch(requests) == std::vector<std::size_t>{1, 0, 2});
}

TEST_CASE("waiting is no busy loop, not even for a place among the running") {
  MirrorServer server;
  Fetcher fetcher;
  fetcher.options.parallel = 1;
  fetcher.options.first_delay = milliseconds(40);
  fetcher.options.stall_limit = milliseconds(10'000);
  const auto requests = put_files(server, fetcher, 2);
  server.rule("/f1", "1*status:503");
  server.rule("/f0", "delay:500");
  fetcher.fetch(requests);
  CHECK(fetcher.interrupt.asked < 60);
}

TEST_CASE("an exception from the receiver of files ends everything and keeps the partials") {
  MirrorServer server;
  Fetcher fetcher;
  const auto requests = put_files(server, fetcher, 2);
  server.rule("/f1", "stall:700");
  fetcher.options.environment = sys::Environment(fetcher.variables);
  const auto downloader =
      net::make_curl_downloader(fetcher.options, fetcher.progress, fetcher.interrupt);
  CHECK_THROWS_AS(
      downloader->fetch(requests, [](std::size_t) { throw std::runtime_error("enough"); }),
      std::runtime_error);
  CHECK(fetcher.has("f0"));
  CHECK_FALSE(fetcher.has("f1"));

  // The downloader is as good as new.
  CHECK(downloader->fetch_text({{server.url("/f0")}, "it"}).kind == net::TextOutcome::Kind::found);
}

TEST_CASE("when one file can't be had, the others stop and keep what they have") {
  MirrorServer server;
  Fetcher fetcher;
  auto requests = put_files(server, fetcher, 3);
  requests.push_back(fetcher.request(server.url("/busy"), "content", "busy"));
  server.rule("/f2", "stall:1500");
  server.rule("/busy", "status:503:1");
  fetcher.options.stall_limit = milliseconds(10'000);
  fetcher.options.attempts = 2;

  const auto failure = fetcher.failure(requests, ErrorKind::network);

  CHECK(failure.find("cannot fetch busy: ") == 0);
  CHECK(fetcher.has("f0"));
  CHECK(fetcher.has("f1"));
  CHECK(fetcher.got("f2.partial").size() == 1500);
}

TEST_CASE("partials of an interrupted fetch are taken up by the next") {
  MirrorServer server;
  Fetcher fetcher;
  const std::string content = random_bytes(400'000);
  server.put("/f", content);
  server.rule("/f", "1*stall:250000");
  fetcher.options.stall_limit = milliseconds(10'000);
  const auto request = fetcher.request(server.url("/f"), content);

  CHECK(time_to_stop(fetcher, {request}) < milliseconds(600));
  CHECK(fetcher.got("file.partial") == content.substr(0, 250'000));

  fetcher.interrupt.signal = 0;
  fetcher.fetch({request});
  CHECK(fetcher.got() == content);
  CHECK(server.requests().at(1).header("range") == "bytes=250000-");
}

TEST_CASE("a request to stop is heard while nothing comes at all") {
  MirrorServer server;
  server.rule("/silent", "stall_head");
  server.rule("/busy", "status:503:2");
  for (const char* path : {"/silent", "/busy"}) {
    CAPTURE(path);
    Fetcher fetcher;
    fetcher.options.stall_limit = milliseconds(10'000);
    CHECK(time_to_stop(fetcher, {fetcher.request(server.url(path), "content")}) <
          milliseconds(600));
  }
}

TEST_CASE("a request to stop is heard while bytes pour in") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", "binary");
  server.rule("/f", "endless");
  net::Request request = fetcher.request(server.url("/f"), "binary");
  request.size.reset();
  CHECK(time_to_stop(fetcher, {request}) < milliseconds(600));
}

TEST_CASE("a mirror that is down is not asked again for every file") {
  MirrorServer server;
  Fetcher fetcher;
  fetcher.options.parallel = 1;
  auto requests = put_files(server, fetcher, 10);
  const std::string dead = dead_url();
  for (auto& request : requests) request.urls.insert(request.urls.begin(), dead + "/f");
  CHECK(fetcher.fetch(requests).size() == 10);
  std::size_t retries = 0;
  const std::string text = fetcher.progress.text();
  for (auto at = text.find("retry"); at != std::string::npos; at = text.find("retry", at + 1)) {
    ++retries;
  }
  CHECK(retries == 4 + 10);  // all attempts for the first file, then one for each
}

TEST_CASE("connections are used again") {
  MirrorServer server;
  Fetcher fetcher;
  fetcher.options.parallel = 1;
  fetcher.fetch(put_files(server, fetcher, 20));
  CHECK(server.connections() == 1);
}
