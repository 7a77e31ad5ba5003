#include "sys/sha256.hpp"

#include <string>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/temp_dir.hpp"

using namespace cudaenv;
using cudaenv::test::TempDir;

namespace {

class AskedAtOnce final : public Interrupt {
 public:
  int requested() const noexcept override { return 2; }
};

const std::string million_a = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

}  // namespace

TEST_CASE("the standard's own examples") {
  CHECK(sys::sha256("").hex() ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sys::sha256("abc").hex() ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sys::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex() ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sys::sha256(std::string(1'000'000, 'a')).hex() == million_a);
}

TEST_CASE("bytes may come in any pieces, and a hasher starts anew after each digest") {
  sys::Sha256 hasher;
  for (int i = 0; i < 1000; ++i) hasher.update(std::string(1000, 'a'));
  CHECK(hasher.finish().hex() == million_a);
  hasher.update("a");
  hasher.update("");
  hasher.update("bc");
  CHECK(hasher.finish() == sys::sha256("abc"));
  CHECK(hasher.finish() == sys::sha256(""));
}

TEST_CASE("a hasher can be moved with what it has seen") {
  sys::Sha256 one;
  one.update("ab");
  sys::Sha256 two(std::move(one));
  two.update("c");
  sys::Sha256 three;
  three.update("other");
  three = std::move(two);
  CHECK(three.finish() == sys::sha256("abc"));
}

TEST_CASE("a file's digest is that of its bytes") {
  const TempDir dir;
  const std::string content(600'001, 'z');
  dir.make_file("file", content);
  dir.make_file("empty");
  CHECK(sys::sha256_file(dir / "file", NoInterrupt()) == sys::sha256(content));
  CHECK(sys::sha256_file(dir / "empty", NoInterrupt()) == sys::sha256(""));
  CHECK_THROWS_AS(sys::sha256_file(dir / "missing", NoInterrupt()), Error);
  CHECK_THROWS_AS(sys::sha256_file(dir / "file", AskedAtOnce()), Interrupted);
}
