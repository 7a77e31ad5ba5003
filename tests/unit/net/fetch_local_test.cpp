#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "fetcher.hpp"

using namespace cudaenv;
using namespace cudaenv::test;

namespace {

const std::string content = random_bytes(3'000'000);

std::string file_url(const std::filesystem::path& path) { return "file://" + path.string(); }

}  // namespace

TEST_CASE("a file mirror is read with the same checks") {
  Fetcher fetcher;
  const auto source = fetcher.dir.make_file("mirror/a b", content);
  fetcher.fetch(
      {fetcher.request("file://" + fetcher.dir.path().string() + "/mirror/a%20b", content)});
  CHECK(fetcher.got() == content);

  std::string wrong = content;
  wrong[2'000'000] ^= 1;
  fetcher.dir.make_file("mirror/a b", wrong);
  const auto failure =
      fetcher.failure({fetcher.request(file_url(source), content, "other")}, ErrorKind::corrupt);
  CHECK(failure.find("expected SHA-256") != std::string::npos);
  CHECK_FALSE(fetcher.has("other"));
  CHECK_FALSE(fetcher.has("other.partial"));
}

TEST_CASE("a file mirror continues what is there") {
  Fetcher fetcher;
  const auto source = fetcher.dir.make_file("mirror/f", content);
  fetcher.dir.make_file("file.partial", content.substr(0, 2'500'000));
  fetcher.fetch({fetcher.request(file_url(source), content)});
  CHECK(fetcher.got() == content);
  CHECK(fetcher.progress.text().find("data file 500000\n") != std::string::npos);
}

TEST_CASE("a file of another length is refused, and a web page is told as such") {
  Fetcher fetcher;
  const auto source = fetcher.dir.make_file("mirror/f", content + "x");
  fetcher.failure({fetcher.request(file_url(source), content)}, ErrorKind::corrupt);
  fetcher.dir.make_file("mirror/f", content.substr(1));
  fetcher.failure({fetcher.request(file_url(source), content)}, ErrorKind::network);
  fetcher.dir.make_file("mirror/f", "<!doctype html>");
  const auto failure = fetcher.failure({fetcher.request(file_url(source), content, "page")});
  CHECK(failure.find("an HTML page of 15 bytes came from file://") != std::string::npos);
}

TEST_CASE("where a file mirror has nothing, the next URL is asked") {
  MirrorServer server;
  Fetcher fetcher;
  server.put("/f", content);
  auto request = fetcher.request(file_url(fetcher.dir / "missing"), content);
  request.urls.push_back(file_url(fetcher.dir.make_dir("folder")));
  request.urls.push_back("file://elsewhere/f");
  REQUIRE(::mkfifo((fetcher.dir / "fifo").c_str(), 0600) == 0);
  request.urls.push_back(file_url(fetcher.dir / "fifo"));
  request.urls.push_back(server.url("/f"));
  fetcher.fetch({request});
  CHECK(fetcher.got() == content);
}

TEST_CASE("a file mirror lacks what is missing, and may keep what it has to itself") {
  Fetcher fetcher;
  fetcher.failure({fetcher.request(file_url(fetcher.dir / "missing"), content)},
                  ErrorKind::missing);
  if (::geteuid() == 0) {
    MESSAGE("skipped: root may read everything");
    return;
  }
  const auto closed = fetcher.dir.make_file("closed", content);
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  const auto failure = fetcher.failure({fetcher.request(file_url(closed), content)});
  CHECK(failure.find("403 Forbidden") != std::string::npos);
}

TEST_CASE("a text comes from a file mirror, too") {
  Fetcher fetcher;
  const auto source = fetcher.dir.make_file("index.json", "{}");
  const auto found = fetcher.text({{file_url(fetcher.dir / "missing"), file_url(source)}, "it"});
  CHECK(found.kind == net::TextOutcome::Kind::found);
  CHECK(found.body == "{}");
  CHECK(fetcher.text({{file_url(fetcher.dir / "missing")}, "it"}).kind ==
        net::TextOutcome::Kind::absent);
}
