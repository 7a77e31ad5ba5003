// Archives that are broken, or too large.

#include <fmt/format.h>

#include "hostile_tar.hpp"

namespace {

using namespace cudaenv;
using namespace cudaenv::test;
using archive::unpack;

const NoInterrupt uninterrupted;

}  // namespace

TEST_CASE("damaged, truncated and overlong archives are refused") {
  TarBuilder good;
  good.folder("top").file("top/a", noise(100'000)).file("top/b", "b");
  const std::string packed = xz(good);
  const std::string plain = good.bytes();
  const auto cut = [](std::string bytes, std::size_t count) {
    bytes.resize(bytes.size() - count);
    return bytes;
  };
  std::string flipped = packed;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
  TarBuilder bad_sum;
  TarHeader header{"top/x", '0'};
  header.raw_checksum = std::string("000000\0 ", 8);
  bad_sum.folder("top").entry(header);
  TarBuilder negative;
  TarHeader huge{"top/x", '0'};
  huge.raw_size = std::string(12, '\xff');
  negative.folder("top").entry(huge);
  TarBuilder pax_size;
  pax_size.folder("top").pax({{"size", "99999999999999999999"}}).file("top/x", "x");
  TarBuilder pax_short;
  pax_short.folder("top").pax({{"size", "4096"}}).file("top/x", "x");
  TarBuilder pax_chain;
  pax_chain.folder("top");
  for (int n = 0; n < 3000; ++n) pax_chain.pax({{"path", "top/x"}});
  TarBuilder lone_zero;
  lone_zero.folder("top").raw(std::string(512, '\0')).file("top/x", "hidden");
  for (const Hostile& hostile : std::vector<Hostile>{
           {"xz cut in the footer", cut(packed, 1), {"truncated"}},
           {"xz cut in the middle", cut(packed, packed.size() / 2), {"truncated"}},
           {"xz cut to its header", packed.substr(0, 12), {"truncated"}},
           {"xz with a byte flipped", flipped, {"damaged"}},
           {"xz with bytes behind", packed + "garbage!", {"bytes follow"}},
           {"xz with padding that is not a multiple of four", packed + std::string(3, '\0'), {}},
           {"gzip cut", cut(gzip_packed(plain), 5), {"damaged"}},
           {"gzip with bytes behind", gzip_packed(plain) + "garbage!", {"bytes follow"}},
           {"zstd cut", cut(zstd_packed(plain), 5), {"damaged"}},
           {"zstd with bytes behind", zstd_packed(plain) + "garbage!", {}},
           {"tar cut in a file", xz_packed(plain.substr(0, 50'000)), {"`top/a`", "truncated"}},
           {"tar cut between files", xz_packed(good.body()), {"truncated", "end mark"}},
           {"plain tar cut", plain.substr(0, 50'000), {"`top/a`", "truncated"}},
           {"bytes behind the tar's end",
            xz_packed(good.bytes() + std::string(512, 'x')),
            {"bytes follow"}},
           {"bytes far behind the tar's end",
            xz_packed(good.bytes() + std::string(3 << 20, '\0') + "x"),
            {"bytes follow"}},
           {"a second archive behind the first",
            xz_packed(good.bytes() + good.bytes()),
            {"bytes follow"}},
           {"entries behind one empty block", xz(lone_zero), {"bytes follow"}},
           {"a wrong header checksum", xz(bad_sum), {"`top/`", "damaged"}},
           {"a negative size", xz(negative), {}},
           {"a size past all bounds in pax", xz(pax_size), {}},
           {"a size in pax that the archive has not", xz(pax_short), {}},
           {"a chain of pax headers", xz(pax_chain), {}},
           {"a page of HTML", "<!doctype html><title>Blocked</title>", {"no archive"}},
           {"noise", noise(5000), {"damaged"}},
           {"nothing", "", {"no archive"}}}) {
    check_refused(hostile);
  }
}

TEST_CASE("bombs are refused before they burst") {
  Sandbox box;
  SUBCASE("a file of zeros") {
    TarBuilder tar;
    tar.entry({"top/zeros", '0', 0644, 70u << 20}, std::string(70u << 20, '\0'));
    box.put(xz(tar));
    auto request = box.request();
    request.limits.ratio = 100;
    const auto error = error_of([&] { unpack(request, uninterrupted); });
    REQUIRE(error);
    CHECK(std::string(error->what()).find("100 times its size") != std::string::npos);
  }
  SUBCASE("zeros behind the end of the archive") {
    TarBuilder tar;
    tar.file("top/a", "a");
    box.put(xz_packed(tar.bytes() + std::string(70u << 20, '\0')));
    auto request = box.request();
    request.limits.ratio = 100;
    CHECK(error_of([&] { unpack(request, uninterrupted); }));
  }
  SUBCASE("a sparse file of a petabyte") {
    TarBuilder tar;
    tar.pax({{"GNU.sparse.major", "1"},
             {"GNU.sparse.minor", "0"},
             {"GNU.sparse.name", "top/sparse"},
             {"GNU.sparse.realsize", "1125899906842624"}});
    std::string map = "1\n1125899906842112\n512\n";
    map.resize(512, '\0');
    tar.file("top/GNUSparseFile.0/sparse", map + std::string(512, 'x'));
    box.put(xz(tar));
    const auto error = error_of([&] { unpack(box.request(), uninterrupted); });
    REQUIRE(error);
    CHECK(std::string(error->what()).find("unpacks to more than 68.7 GB") != std::string::npos);
  }
  SUBCASE("more bytes than allowed, in many files") {
    TarBuilder tar;
    for (int n = 0; n < 20; ++n) tar.file(fmt::format("top/{}", n), std::string(100'000, 'x'));
    box.put(xz(tar));
    auto request = box.request();
    request.limits.bytes = 1'000'000;
    const auto error = error_of([&] { unpack(request, uninterrupted); });
    REQUIRE(error);
    CHECK(std::string(error->what()).find("more than 1.0 MB") != std::string::npos);
  }
  SUBCASE("more entries than allowed") {
    TarBuilder tar;
    for (int n = 0; n < 1001; ++n) tar.folder(fmt::format("top/{}", n));
    box.put(xz(tar));
    auto request = box.request();
    request.limits.entries = 1000;
    const auto error = error_of([&] { unpack(request, uninterrupted); });
    REQUIRE(error);
    CHECK(std::string(error->what()).find("more than 1000 entries") != std::string::npos);
  }

  std::uintmax_t on_disk = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(box.into())) {
    if (entry.is_regular_file()) on_disk += entry.file_size();
  }
  CHECK(on_disk <= 1'000'000);
  CHECK(box.is_untouched());
}

TEST_CASE("an xz archive that asks for a huge dictionary is refused, not given the memory") {
  const Sandbox box;
  TarBuilder tar;
  tar.file("top/a", "a");
  std::string packed = xz(tar);
  // Block header: size, flags, filter id 0x21, one byte of properties, dictionary size code.
  // 40 means 4 GiB - 1; the header's CRC32 follows its padding.
  const std::size_t header = 12;
  REQUIRE(packed[header + 2] == 0x21);
  packed[header + 4] = 40;
  const std::size_t header_size = (static_cast<unsigned char>(packed[header]) + 1u) * 4u;
  const std::uint32_t crc = crc32_of(std::string_view(packed).substr(header, header_size - 4));
  for (unsigned byte = 0; byte < 4; ++byte) {
    packed[header + header_size - 4 + byte] = static_cast<char>((crc >> (8 * byte)) & 0xffu);
  }
  box.put(packed);
  const auto error = error_of([&] { unpack(box.request(), uninterrupted); });
  REQUIRE(error);
  CHECK(std::string(error->what()).find("of memory") != std::string::npos);
}

TEST_CASE("every prefix of an archive is refused, and every flipped bit is found or harmless") {
  const Sandbox box;
  TarBuilder tar;
  tar.folder("top").file("top/a", noise(700)).file("top/x", "x", 0755).symlink("top/l", "a");
  const auto packings = std::vector<std::string>{xz(tar), gzip_packed(tar.bytes()),
                                                 zstd_packed(tar.bytes()), tar.bytes()};
  for (const auto& packed : packings) {
    const bool plain = &packed == &packings.back();
    const std::size_t shortest = plain ? 512 : 1;
    for (std::size_t length = shortest; length < packed.size() - (plain ? 1024 : 0);
         length += plain ? 61 : 13) {
      CAPTURE(length);
      box.put(packed.substr(0, length));
      CHECK(error_of([&] { unpack(box.request(), uninterrupted); }));
      CHECK(box.is_untouched());
      box.clear();
    }
    const auto digest = Digest::from_hex(box.put(packed).sha256);
    for (std::size_t at = 0; at < packed.size(); at += plain ? 61 : 11) {
      CAPTURE(at);
      std::string flipped = packed;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
      box.put(flipped);
      auto request = box.request();
      error_of([&] { unpack(request, uninterrupted); });
      CHECK(box.is_untouched());
      CHECK(box.holds_only_tame_entries());
      box.clear();
      request.sha256 = digest;
      CHECK(error_of([&] { unpack(request, uninterrupted); }));
      box.clear();
    }
  }
}
