#include "sys/elf.hpp"

#include <algorithm>
#include <cstring>

#include <doctest/doctest.h>

#include "sys/file.hpp"
#include "sys/loader_cache.hpp"
#include "sys/machine.hpp"
#include "sys/tree.hpp"

using namespace cudaenv;

namespace {

sys::ReadAt over(const std::string& bytes) {
  return [&bytes](std::uint64_t offset, std::size_t size) {
    return offset < bytes.size() ? bytes.substr(offset, size) : std::string();
  };
}

void put(std::string& bytes, std::size_t at, std::uint32_t number) {
  if (bytes.size() < at + 4) bytes.resize(at + 4, '\0');
  std::memcpy(bytes.data() + at, &number, 4);
}

// A cache of glibc's newer format; texts are counted from `base`.
std::string cache_of(const std::vector<std::pair<std::string, std::string>>& libraries,
                     std::uint32_t flags) {
  std::string bytes = "glibc-ld.so.cache1.1";
  put(bytes, 20, static_cast<std::uint32_t>(libraries.size()));
  bytes.resize(48 + 24 * libraries.size(), '\0');
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    put(bytes, 48 + 24 * i, flags);
    put(bytes, 48 + 24 * i + 4, static_cast<std::uint32_t>(bytes.size()));
    bytes += libraries[i].first + '\0';
    put(bytes, 48 + 24 * i + 8, static_cast<std::uint32_t>(bytes.size()));
    bytes += libraries[i].second + '\0';
  }
  return bytes;
}

}  // namespace

TEST_CASE("a shared library tells its name and what it needs without being loaded") {
  const auto fd = sys::open_read(FAKE_LIBRARY);
  const auto library = sys::shared_library(sys::read_at(fd.get()));
  REQUIRE(library);
  CHECK(library->soname == "libcudnn_ops.so.9");
  CHECK(library->run_path == "$ORIGIN");
  const auto own = sys::open_read(sys::own_program());
  const auto program = sys::shared_library(sys::read_at(own.get()));
  REQUIRE(program);
  CHECK(std::count(program->needed.begin(), program->needed.end(), "libc.so.6") == 1);
}

TEST_CASE("the constant that a symbol labels is read") {
  const auto fd = sys::open_read(FAKE_LIBRARY);
  const auto read = sys::read_at(fd.get());
  CHECK(sys::symbol_constant(read, [](std::string_view name) {
          return name == "cudnn_ops_infer_version";
        }) == 91900u);
  CHECK_FALSE(sys::symbol_constant(read, [](std::string_view name) { return name == "none"; }));
}

TEST_CASE("what is no library, or a part of one, is none and read within its bounds") {
  CHECK_FALSE(sys::shared_library(over("")));
  CHECK_FALSE(sys::shared_library(over("/* GNU ld script */\nGROUP ( libc.so.6 )\n")));
  const std::string whole = sys::read_file(FAKE_LIBRARY);
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    const std::string part = whole.substr(0, size);
    static_cast<void>(sys::shared_library(over(part)));
    static_cast<void>(sys::symbol_constant(over(part), [](std::string_view) { return true; }));
  }
  // Every byte of the tables spoilt in turn.
  for (std::size_t at = 0; at < std::min<std::size_t>(whole.size(), 4096); ++at) {
    std::string spoilt = whole;
    spoilt[at] = static_cast<char>(~spoilt[at]);
    static_cast<void>(sys::shared_library(over(spoilt)));
    static_cast<void>(sys::symbol_constant(over(spoilt), [](std::string_view) { return true; }));
  }
}

TEST_CASE("the loader's cache is read in both of its formats") {
  const std::string newer = cache_of(
      {{"libcudart.so.12", "/opt/cuda/lib64/libcudart.so.12"}, {"libm.so.6", "/m"}}, 0x303);
  const auto libraries = sys::loader_cache(newer);
  REQUIRE(libraries.size() == 2);
  CHECK(libraries[0].name == "libcudart.so.12");
  CHECK(libraries[0].path == "/opt/cuda/lib64/libcudart.so.12");
  CHECK(libraries[0].for_64_bit);
  CHECK_FALSE(sys::loader_cache(cache_of({{"a.so.1", "/a"}}, 0x3)).front().for_64_bit);

  std::string old = "ld.so-1.7.0";
  put(old, 12, 1);
  put(old, 16, 0x303);
  put(old, 20, 0);
  put(old, 24, 7);
  CHECK(sys::loader_cache(old + std::string("a.so.1\0/a\0", 10)).front().path == "/a");
  old.resize(32, '\0');
  CHECK(sys::loader_cache(old + newer).size() == 2);
}

TEST_CASE("of a damaged cache what is whole is read") {
  CHECK(sys::loader_cache("").empty());
  CHECK(sys::loader_cache("glibc-ld.so.cache1.1").empty());
  const std::string whole = cache_of({{"a.so.1", "/a"}, {"b.so.1", "/b"}}, 0x303);
  CHECK(sys::loader_cache(whole.substr(0, whole.size() - 1)).size() == 1);
  std::string many = whole;
  put(many, 20, 0xffffffffu);
  CHECK(sys::loader_cache(many).size() >= 2);
  std::string far = whole;
  put(far, 52, 0xfffffff0u);
  CHECK(sys::loader_cache(far).size() == 1);
}

TEST_CASE("this machine's own cache and libraries are read") {
  const sys::Tree machine;
  const auto bytes = machine.read("/etc/ld.so.cache", 64 << 20);
  if (!bytes) {
    MESSAGE("SKIP: this machine has no ld.so.cache");
    return;
  }
  unsigned found = 0;
  for (const auto& cached : sys::loader_cache(*bytes)) found += cached.name.starts_with("libc.so.");
  CHECK(found >= 1);
}
