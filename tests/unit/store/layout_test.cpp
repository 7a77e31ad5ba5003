#include "store/layout.hpp"

#include <doctest/doctest.h>

#include "unit/store/sample.hpp"

using namespace cudaenv;
using cudaenv::store::Layout;
using cudaenv::store::prefix_folder;

TEST_CASE("a user root holds prefixes, links, and its state in a hidden folder") {
  const Layout layout = Layout::user("/home/me/.local/share/cudaenv");
  CHECK_FALSE(layout.is_system());
  CHECK(layout.root() == "/home/me/.local/share/cudaenv");
  CHECK(layout.prefix("cuda-12.1.1") == "/home/me/.local/share/cudaenv/cuda-12.1.1");
  CHECK(layout.default_link() == "/home/me/.local/share/cudaenv/cuda");
  CHECK(layout.state() == "/home/me/.local/share/cudaenv/.state");
}

TEST_CASE("a system root has prefixes directly in the base and its state below lib") {
  const Layout layout = Layout::system();
  CHECK(layout.is_system());
  CHECK(layout.prefix("cuda-12.1.1") == "/usr/local/cuda-12.1.1");
  CHECK(layout.default_link() == "/usr/local/cuda");
  CHECK(layout.minor_link(test::version("12.1.1")) == "/usr/local/cuda-12.1");
  CHECK(layout.state() == "/usr/local/lib/cudaenv");
  CHECK(layout.store() == "/usr/local/lib/cudaenv/store");
  CHECK(layout.staging() == "/usr/local/lib/cudaenv/staging");
  CHECK(layout.trash() == "/usr/local/lib/cudaenv/trash");
  CHECK(layout.downloads() == "/usr/local/lib/cudaenv/downloads");
  CHECK(layout.root_lock() == "/usr/local/lib/cudaenv/lock");
  CHECK(Layout::system("/mnt/image/usr/local").prefix("12.1.1") ==
        "/mnt/image/usr/local/cuda-12.1.1");
}

TEST_CASE("each archive has a lock of its own, away from the downloads") {
  const Layout layout = Layout::user("/r");
  const Digest digest = test::digest_of("x");
  CHECK(layout.archive_lock(digest) == layout.state() / "locks" / digest.hex());
  CHECK(layout.archive_lock(digest) != layout.archive_lock(test::digest_of("y")));
}

TEST_CASE("a minor link has two numbers, whatever the release is written with") {
  const Layout layout = Layout::user("/r");
  CHECK(layout.minor_link(test::version("13.0.0")) == "/r/cuda-13.0");
  CHECK(layout.minor_link(test::version("12")) == "/r/cuda-12.0");
  CHECK(layout.minor_link(test::version("11.8")) == "/r/cuda-11.8");
}

TEST_CASE("a name of the user's own becomes a folder that begins with cuda") {
  CHECK(prefix_folder("12.1.1") == "cuda-12.1.1");
  CHECK(prefix_folder("cuda-12.1.1") == "cuda-12.1.1");
  CHECK(prefix_folder("11.8-cudnn89") == "cuda-11.8-cudnn89");
  CHECK(prefix_folder("cudatest") == "cudatest");
  CHECK(prefix_folder("lib") == "cuda-lib");
}

TEST_CASE("a plain name says its release, and another name says none") {
  CHECK(store::plain_name(test::version("12.1.1")) == "cuda-12.1.1");
  CHECK(store::version_in_plain_name("cuda-12.1.1") == test::version("12.1.1"));
  CHECK(store::version_in_plain_name("cuda-12.1") == test::version("12.1"));
  for (const char* name : {"12.1.1", "cuda", "cuda-", "cuda-11.8-cudnn89", "xcuda-12.1"}) {
    CAPTURE(name);
    CHECK_FALSE(store::version_in_plain_name(name));
  }
}

TEST_CASE("no name leads out of the root or over what lies there") {
  for (const char* name : {"", ".", "..", "../x", "a/b", "/etc", ".state", "-x", "cuda", "CUDA",
                           "latest", "auto", "system", "a b", "a\nb", "cuda-../x", "\xC3\xA4"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(prefix_folder(name), Error);
    CHECK_THROWS_AS(Layout::user("/r").prefix(name), Error);
  }
  CHECK_THROWS_AS(prefix_folder(std::string("a\0b", 3)), Error);
  CHECK_THROWS_AS(prefix_folder(std::string(98, 'a')), Error);
  CHECK(test::report(test::error_of([] { prefix_folder("a/b"); })) ==
        "`a/b` cannot be the name of a prefix\n"
        "help: use letters, digits and `.`, `_`, `+`, `-`, beginning with a letter or digit\n");
}
