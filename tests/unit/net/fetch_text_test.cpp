#include <chrono>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>

#include <doctest/doctest.h>

#include "fetcher.hpp"

using namespace cudaenv;
using namespace cudaenv::test;
using net::TextOutcome;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

std::string refusal(Fetcher& fetcher, const net::TextRequest& request) {
  try {
    fetcher.text(request);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::network);
    return all_of(error);
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a text is found at the first URL that has it") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/b", "{\"a\": 1}");
  const auto found =
      fetcher.text({{dead_url(), server.url("/a"), server.url("/b?secret=1")}, "the manifest"});
  CHECK(found.kind == TextOutcome::Kind::found);
  CHECK(found.body == "{\"a\": 1}");
  CHECK(found.url == server.url("/b"));
}

TEST_CASE("an empty text is a text") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/b", "");
  CHECK(fetcher.text({{server.url("/b")}, "the manifest"}).kind == TextOutcome::Kind::found);
}

TEST_CASE("what a server does not have is absent, and a server that is not there unreachable") {
  MirrorServer server;
  Fetcher fetcher;
  server.rule("/gone", "status:410");
  const auto absent = fetcher.text({{server.url("/a"), server.url("/gone")}, "the manifest"});
  CHECK(absent.kind == TextOutcome::Kind::absent);
  CHECK(absent.why == server.url("/a") + ": 404 Not Found; " + server.url("/gone") + ": 410 Gone");

  const auto dead = dead_url();
  const auto unreachable = fetcher.text({{dead + "/a", dead + "/b"}, "the manifest"});
  CHECK(unreachable.kind == TextOutcome::Kind::unreachable);
  CHECK(unreachable.url == dead + "/b");
  CHECK(contains(unreachable.why, dead + "/a: "));

  CHECK(fetcher.text({{server.url("/a"), dead}, "the manifest"}).kind == TextOutcome::Kind::absent);
  CHECK(fetcher.text({{"http://nowhere.invalid/a"}, "the manifest"}).kind ==
        TextOutcome::Kind::unreachable);
}

TEST_CASE("a host that does not answer is unreachable within the request's own limit") {
  // A queue of one that is full: the kernel drops further attempts to connect.
  const sys::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  REQUIRE(::bind(socket.get(), generic, size) == 0);
  REQUIRE(::listen(socket.get(), 0) == 0);
  REQUIRE(::getsockname(socket.get(), generic, &size) == 0);
  std::vector<sys::Fd> filling;
  for (int i = 0; i < 4; ++i) {
    filling.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ::connect(filling.back().get(), generic, size);
  }
  const auto url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/a";

  Fetcher fetcher;
  net::TextRequest request{{url}, "the manifest"};
  request.connect_limit = milliseconds(250);
  const auto begin = Clock::now();
  CHECK(fetcher.text(request).kind == TextOutcome::Kind::unreachable);
  CHECK(Clock::now() - begin < milliseconds(800));

  request.connect_limit = milliseconds(10'000);
  std::thread user([&] {
    std::this_thread::sleep_for(milliseconds(50));
    fetcher.interrupt.signal = 15;
  });
  CHECK_THROWS_AS(fetcher.text(request), Interrupted);
  user.join();
  CHECK(Clock::now() - begin < milliseconds(1500));
}

TEST_CASE("a busy server is asked again for a text") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/a", "text");
  server.rule("/a", "3*status:503");
  CHECK(fetcher.text({{server.url("/a")}, "the manifest"}).body == "text");
  server.rule("/a", "2*cut:1");
  CHECK(fetcher.text({{server.url("/a")}, "the manifest"}).body == "text");
  server.rule("/a", "status:500");
  CHECK(contains(refusal(fetcher, {{server.url("/a")}, "the manifest"}),
                 "cannot read the manifest: " + server.url("/a") + ": 500 Internal Server Error"));
}

TEST_CASE("a web page is no manifest, but it is a listing") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/dir/file", "x");
  CHECK(contains(refusal(fetcher, {{server.url("/dir/")}, "the manifest"}), "an HTML page of "));

  net::TextRequest request{{server.url("/dir")}, "the listing"};
  request.html_allowed = true;
  const auto listing = fetcher.text(request);
  CHECK(contains(listing.body, "<a href=\"file\">"));
  CHECK(listing.url == server.url("/dir/"));
}

TEST_CASE("a web page in the place of a manifest names the proxy it may come from") {
  MirrorServer proxy({.proxy = true});
  Fetcher fetcher;
  fetcher.variables["http_proxy"] = "http://me:secret@" + proxy.host();
  proxy.rule("*", "html:50");
  const auto text = refusal(fetcher, {{"http://nowhere.invalid/m.json"}, "the manifest"});
  CHECK(
      contains(text, "an HTML page of 50 bytes came from http://nowhere.invalid/m.json - proxy?"));
  CHECK(contains(text, "the proxy in use is http://" + proxy.host() + " (http_proxy)"));
  CHECK_FALSE(contains(text, "secret"));
}

TEST_CASE("a text that is too long, or has no end, is refused") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/a", std::string(1001, 'a'));
  net::TextRequest request{{server.url("/a")}, "the manifest"};
  request.limit = 1000;
  CHECK(contains(refusal(fetcher, request), "it is longer than 1.0 kB"));
  server.rule("/a", "endless");
  CHECK(contains(refusal(fetcher, request), "it is longer than 1.0 kB"));
  MirrorServer exact;
  exact.put("/a", std::string(1000, 'a'));
  request.urls = {exact.url("/a")};
  CHECK(fetcher.text(request).body.size() == 1000);
}

TEST_CASE("a forbidden redirect and a refusal are errors, unless another URL serves") {
  MirrorServer server;
  Fetcher fetcher;
  server.rule("/a", "redirect:file:///etc/hostname");
  server.rule("/b", "status:403");
  server.put("/c", "text");
  net::TextRequest request{{server.url("/a"), server.url("/b")}, "the manifest"};
  const auto text = refusal(fetcher, request);
  CHECK(contains(text, "which is not http or https"));
  CHECK(contains(text, "403 Forbidden"));
  request.urls.push_back(server.url("/c"));
  CHECK(fetcher.text(request).body == "text");
}

TEST_CASE("a request to stop is heard while a text is waited for") {
  MirrorServer server;
  server.rule("/silent", "stall_head");
  server.rule("/busy", "status:503:2");
  for (const char* path : {"/silent", "/busy"}) {
    CAPTURE(path);
    Fetcher fetcher;
    fetcher.options.stall_limit = milliseconds(10'000);
    std::thread user([&] {
      std::this_thread::sleep_for(milliseconds(60));
      fetcher.interrupt.signal = 2;
    });
    const auto begin = Clock::now();
    CHECK_THROWS_AS(fetcher.text({{server.url(path)}, "the manifest"}), Interrupted);
    CHECK(Clock::now() - begin < milliseconds(700));
    user.join();
  }
}

TEST_CASE("a text may be asked for while files are under way") {
  MirrorServer server;
  Fetcher fetcher;
  const std::string content = random_bytes(100'000);
  server.put("/f", content);
  server.put("/g", content);
  server.put("/text", "text");
  fetcher.options.environment = sys::Environment(fetcher.variables);
  const auto downloader =
      net::make_curl_downloader(fetcher.options, fetcher.progress, fetcher.interrupt);
  int texts = 0;
  downloader->fetch({fetcher.request(server.url("/f"), content, "f"),
                     fetcher.request(server.url("/g"), content, "g")},
                    [&](std::size_t) {
                      texts += downloader->fetch_text({{server.url("/text")}, "it"}).body == "text";
                    });
  CHECK(texts == 2);
}

TEST_CASE("sizes are told without fetching the files, and unknown is unknown") {
  test::MirrorServer server;
  server.put("/a", std::string(300'000, 'a'));
  server.put("/b", "bb");
  server.rule("/chunked", "chunked");
  server.put("/chunked", "c");
  server.rule("/moved", "redirect:" + server.url("/b"));
  test::RecordingProgress progress;
  const NoInterrupt interrupt;
  const auto downloader = net::make_curl_downloader({}, progress, interrupt);
  const auto sizes = downloader->sizes({server.url("/a"), server.url("/b"), server.url("/none"),
                                        server.url("/chunked"), server.url("/moved"),
                                        "http://127.0.0.1:1/refused"});
  REQUIRE(sizes.size() == 6);
  CHECK(sizes[0] == 300'000);
  CHECK(sizes[1] == 2);
  CHECK_FALSE(sizes[2]);
  CHECK_FALSE(sizes[3]);
  CHECK(sizes[4] == 2);
  CHECK_FALSE(sizes[5]);
}
