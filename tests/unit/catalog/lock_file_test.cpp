#include "catalog/lock_file.hpp"

#include <string>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/error_text.hpp"

using namespace cudaenv;
using namespace cudaenv::catalog;
using cudaenv::test::error_text;

namespace {

Lock sample() {
  const auto digest = *Digest::from_hex(std::string(64, 'a'));
  Lock lock{{"12.1", "runtime", {{"cudnn", "8.9"}}, "pytorch==2.1"},
            *Version::parse("12.1.1"),
            Profile::runtime,
            {}};
  lock.platforms["linux-x86_64"] = {
      {"cuda_cudart", "12.1.105", "https://m.example/a.tar.xz", digest, 7, "runtime_only"},
      {"cudnn", "8.9.7.29", "https://m.example/b.tar.xz", digest, 123456789012, "runtime_only"}};
  lock.platforms["linux-sbsa"] = {{"cuda_cudart", "12.1.105", "u", digest, 0, "all"}};
  return lock;
}

std::string refusal(std::string text) {
  return error_text([&] { read_lock(text, "/p/.cudaenv.lock"); });
}

std::string replaced(const std::string& what, const std::string& by) {
  auto text = write_lock(sample());
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("what is written is read again, a line an archive") {
  const auto text = write_lock(sample());
  const auto lock = read_lock(text, "f");
  CHECK(write_lock(lock) == text);
  CHECK(lock.asked == sample().asked);
  CHECK(lock.cuda.text() == "12.1.1");
  CHECK(lock.profile == Profile::runtime);
  CHECK(lock.platforms.size() == 2);
  CHECK(lock.platforms.at("linux-x86_64")[1].size == 123456789012);
  CHECK(text.find("\n      {\"component\":\"cudnn\",\"version\":\"8.9.7.29\"") !=
        std::string::npos);
}

TEST_CASE("what was asked is told from what the file says") {
  const auto project = parse_project("cuda = \"12.1\"\ncudnn = \"latest\"\nprofile = \"dev\"", "f");
  CHECK(asked_of(project) == Lock::Asked{"12.1", "dev", {{"cudnn", "latest"}}, ""});
  CHECK(asked_of(parse_project("12.1\r\n", "f")) == Lock::Asked{"12.1", "", {}, ""});
  const auto with = parse_project("cuda = \"12.1\"\nfor = \"pytorch==2.1\"", "f");
  CHECK(asked_of(with) == Lock::Asked{"12.1", "", {}, "pytorch==2.1"});
}

TEST_CASE("a lock without a framework says nothing of one") {
  auto lock = sample();
  lock.asked.framework.clear();
  const auto text = write_lock(lock);
  CHECK(text.find("\"for\"") == std::string::npos);
  CHECK(read_lock(text, "f").asked == lock.asked);
  CHECK(refusal(replaced("\"pytorch==2.1\"", "1")).find("asked.for") != std::string::npos);
}

TEST_CASE("a platform of a later cudaenv is passed over") {
  const auto lock = read_lock(replaced("\"linux-sbsa\"", "\"linux-riscv64\""), "f");
  CHECK(lock.platforms.size() == 1);
  CHECK(lock.platforms.contains("linux-x86_64"));
}

TEST_CASE("a damaged lock is refused with file and place") {
  const std::pair<std::string, const char*> cases[] = {
      {"", "/p/.cudaenv.lock"},
      {"[]", "/p/.cudaenv.lock"},
      {"{}", "schema"},
      {replaced("\"schema\": 1", "\"schema\": 2"), "schema"},
      {replaced("\"cuda\": \"12.1.1\"", "\"cuda\": \"x\""), "cuda"},
      {replaced("\"cuda\": \"12.1.1\"", "\"cuda\": 12"), "cuda"},
      {replaced("\"profile\": \"runtime\"", "\"profile\": \"huge\""), "profile"},
      {replaced(std::string(64, 'a'), std::string(63, 'a')), "platforms.linux-sbsa[0].sha256"},
      {replaced("\"size\":0", "\"size\":-1"), "platforms.linux-sbsa[0].size"},
      {replaced("\"size\":0", "\"size\":\"0\""), "platforms.linux-sbsa[0].size"},
      {replaced("\"filter\":\"all\"", "\"file\":\"all\""), "platforms.linux-sbsa[0].filter"},
      {replaced("\"filter\":\"all\"", "\"filter\":\"\\u001b[2J\""),
       "platforms.linux-sbsa[0].filter"},
      {replaced("\"libraries\":{\"cudnn\":\"8.9\"}", "\"libraries\":[]"), "libraries"},
  };
  for (const auto& [text, place] : cases) {
    const auto said = refusal(text);
    CHECK_MESSAGE(said.find("/p/.cudaenv.lock") != std::string::npos, said);
    CHECK_MESSAGE(said.find(place) != std::string::npos, said);
  }
}
