// Wheels and zips that want to do harm, or are broken.

#include <functional>

#include <fmt/format.h>

#include "sandbox.hpp"

namespace {

using namespace cudaenv;
using namespace cudaenv::test;
using archive::unpack_wheel;

const NoInterrupt uninterrupted;
const std::string info = "sample-1.0.dist-info";

struct Hostile {
  std::string what;
  std::string bytes;
  std::vector<std::string> told;
};

// With good members before and after, and a RECORD that is true to what was added.
ZipBuilder amid_good(const std::function<void(ZipBuilder&)>& add) {
  ZipBuilder zip;
  zip.file("lib/before", "before");
  add(zip);
  zip.file("lib/after", "after").record(info);
  return zip;
}

std::string with(const std::function<void(ZipEntry&)>& change, const std::string& name = "lib/x",
                 const std::string& bytes = "content") {
  return amid_good([&](ZipBuilder& zip) {
           ZipEntry entry{name, bytes};
           change(entry);
           zip.add(entry);
         })
      .bytes();
}

std::string named(const std::string& name) {
  return with([](ZipEntry&) {}, name);
}

void check_refused(const Hostile& hostile, unsigned threads) {
  CAPTURE(hostile.what);
  CAPTURE(threads);
  const Sandbox box;
  box.put(hostile.bytes);
  auto request = box.request();
  request.threads = threads;
  const auto error = error_of([&] { unpack_wheel(request, uninterrupted); });
  REQUIRE(error);
  CHECK(error->kind() == ErrorKind::corrupt);
  CHECK(error->message() == "cannot unpack sample-archive");
  const std::string text = error->what();
  for (const auto& part : hostile.told) {
    CAPTURE(text);
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(box.is_untouched());
  CHECK(box.holds_only_tame_entries());
}

void check_all_refused(const std::vector<Hostile>& all) {
  for (const auto& hostile : all) {
    check_refused(hostile, 1);
    check_refused(hostile, 3);
  }
}

std::string good_wheel() {
  return amid_good([](ZipBuilder& zip) { zip.file("lib/x", noise(500)); }).bytes();
}

}  // namespace

TEST_CASE("members whose path leads out of the tree are refused") {
  check_all_refused({
      {"absolute", named("/tmp/evil"), {"`/tmp/evil`", "absolute"}},
      {"..", named("../canary/evil"), {"`../canary/evil`", "`..`"}},
      {".. in the middle", named("lib/../../evil"), {"`..`"}},
      {". in the middle", named("lib/./x"), {"`.`"}},
      {"an empty component", named("lib//x"), {"empty name"}},
      {"no name", named(""), {"without a name"}},
      {"a newline", with([](ZipEntry&) {}, "lib/a\tb"), {"control character"}},
      {"a zero byte", named(std::string("lib/a\0b", 7)), {"control character"}},
      {"a path of 5000 bytes", named("lib/" + std::string(5000, 'p')), {"1024 bytes"}},
      {"a long component", named("lib/" + std::string(300, 'p')), {"255 bytes"}},
      {"a file named .", named("."), {"whole tree"}},
      {"scripts that lead out", named("sample-1.0.data/scripts/../../../evil"), {"`..`"}},
      {"data that is absolute", named("sample-1.0.data/data//tmp/evil"), {"empty name"}},
  });
}

TEST_CASE("members that are no plain files, or take another's place, are refused") {
  const auto twice = [](const std::string& one, const std::string& other) {
    return amid_good([&](ZipBuilder& zip) { zip.file(one, "x").file(other, "y"); }).bytes();
  };
  check_all_refused({
      {"a link",
       with([](ZipEntry& entry) { entry.mode = 0120777; }, "lib/l", "../../canary"),
       {"`lib/l`", "not a plain file"}},
      {"a device", with([](ZipEntry& entry) { entry.mode = 060644; }), {"not a plain file"}},
      {"a fifo", with([](ZipEntry& entry) { entry.mode = 010644; }), {"not a plain file"}},
      {"setuid", with([](ZipEntry& entry) { entry.mode = 0104755; }), {"`lib/x`", "setuid"}},
      {"setgid", with([](ZipEntry& entry) { entry.mode = 0102755; }), {"setgid"}},
      {"a name twice", twice("lib/x", "lib/x"), {"`lib/x`", "twice"}},
      {"a path twice", twice("lib/x", "./lib/x"), {"`lib/x`", "twice"}},
      {"file below a file", twice("lib/x", "lib/x/y"), {"lib/x"}},
      {"file over a folder", twice("lib/d/x", "lib/d"), {"lib/d"}},
      {"a folder with content", named("lib/d/"), {"`lib/d/`", "folder with content"}},
  });
}

TEST_CASE("links of a plain zip must stay inside") {
  for (const char* target : {"../../canary/precious", "/etc/passwd", ""}) {
    const Sandbox box;
    ZipBuilder zip;
    ZipEntry link{"lib/l", target};
    link.mode = 0120777;
    zip.file("lib/a", "a").add(link);
    box.put(zip.bytes());
    CHECK(error_of([&] { archive::unpack(box.request(), uninterrupted); }));
    CHECK(box.is_untouched());
    CHECK(box.holds_only_tame_entries());
  }
}

TEST_CASE("names that mean something elsewhere, or in an extra field, are plain names") {
  // Info-ZIP's other name for a member: version, CRC of the name, the name.
  std::string extra("\x75\x70\x0b\0\x01\0\0\0\0", 9);
  extra += "../../";
  for (const char* name :
       {"lib\\..\\..\\evil", "C:\\evil", "C:evil", "\\\\host\\share", "\xff\xfe"}) {
    const Sandbox box;
    box.put(with(
        [&](ZipEntry& entry) {
          entry.flags = 0x800;  // "the name is UTF-8"
          entry.extra = extra;
        },
        name));
    const auto entries = unpack_wheel(box.request(), uninterrupted);
    CHECK(find(entries, name));
    CHECK(box.is_untouched());
    CHECK(box.holds_only_tame_entries());
  }
}

TEST_CASE("a zip whose headers contradict each other is refused") {
  check_all_refused({
      {"encrypted", with([](ZipEntry& entry) { entry.flags = 1; }), {"`lib/x`", "encrypted"}},
      {"strongly encrypted", with([](ZipEntry& entry) { entry.flags = 0x41; }), {"encrypted"}},
      {"unknown flags", with([](ZipEntry& entry) { entry.flags = 0x20; }), {"flags"}},
      {"another method", with([](ZipEntry& entry) { entry.method = 14; }), {"method 14"}},
      {"another local name",
       with([](ZipEntry& entry) { entry.local_name.emplace("lib/y"); }),
       {"`lib/x`", "another name"}},
      {"another local size",
       with([](ZipEntry& entry) { entry.local_size = 6; }),
       {"`lib/x`", "own header"}},
      {"another local crc", with([](ZipEntry& entry) { entry.local_crc = 6; }), {"own header"}},
      {"another size behind the data",
       with([](ZipEntry& entry) {
         entry.flags = 8;
         entry.local_size = 6;
       }),
       {"`lib/x`", "other sizes"}},
      {"an offset into another member", with([](ZipEntry& entry) { entry.offset = 0; }), {}},
      {"an offset past the end", with([](ZipEntry& entry) { entry.offset = 1 << 30; }), {}},
      {"a packed size that is too large",
       with([](ZipEntry& entry) { entry.packed_size = 4000; }),
       {"`lib/x`", "overlaps"}},
      {"a packed size that is too small", with([](ZipEntry& entry) { entry.packed_size = 3; }), {}},
      {"a packed size past all bounds",
       with([](ZipEntry& entry) {
         entry.zip64 = true;
         entry.packed_size = ~0ull;
       }),
       {"`lib/x`", "overlaps"}},
      {"an offset past all bounds",
       with([](ZipEntry& entry) {
         entry.zip64 = true;
         entry.offset = ~0ull - 10;
       }),
       {}},
      {"bytes between members",
       amid_good([](ZipBuilder& zip) { zip.gap("hidden").file("lib/x", "x"); }).bytes(),
       {"`lib/x`", "does not follow"}},
      {"bytes before the directory", amid_good([](auto&) {}).gap("hidden").bytes(), {"between"}},
      {"stored with two sizes",
       with([](ZipEntry& entry) {
         entry.deflated = false;
         entry.size = 3;
       }),
       {"`lib/x`", "sizes differ"}},
  });
}

TEST_CASE("a zip whose end is not as it should be is refused") {
  const std::string good = good_wheel();
  ZipBuilder commented = amid_good([](auto&) {});
  commented.comment = "a comment";
  ZipBuilder fewer = amid_good([](auto&) {});
  fewer.told_entries = 1;
  ZipBuilder more = amid_good([](auto&) {});
  more.told_entries = 9;
  ZipBuilder zip64 = amid_good([](auto&) {});
  zip64.zip64_end = true;
  std::string bad_locator = zip64.bytes();
  bad_locator[bad_locator.size() - 22 - 12] ^= 1;
  ZipBuilder twofold = amid_good([](auto&) {});
  twofold.comment = amid_good([](ZipBuilder& zip) { zip.file("lib/evil", "x"); }).bytes();
  const auto changed = [&](std::size_t from_end) {
    std::string bytes = good;
    bytes[bytes.size() - from_end] ^= 1;
    return bytes;
  };
  std::string other_part = good;
  other_part[good.find("PK\1\2") + 34] ^= 1;
  std::string no_zip64 = good;
  for (std::size_t byte = 1; byte <= 4; ++byte) no_zip64[no_zip64.size() - 2 - byte] = '\xff';
  check_all_refused({
      {"a comment", commented.bytes(), {"comment"}},
      {"a comment that is a whole zip", twofold.bytes(), {}},
      {"a later part of several", changed(22 - 4), {"several parts"}},
      {"a directory in another part", changed(22 - 6), {"several parts"}},
      {"a member in another part", other_part, {"`lib/before`", "another part"}},
      {"an offset of the directory that is off by one", changed(22 - 16), {}},
      {"a tar in the place of a wheel", xz_packed(TarBuilder().file("x", "x").bytes()), {}},
      {"bytes behind the end", good + "x", {"bytes follow"}},
      {"two directories", good + good, {}},
      {"an empty zip behind", good + std::string("PK\5\6", 4) + std::string(18, '\0'), {}},
      {"bytes before the first member", "#!/bin/sh\n" + good, {}},
      {"too few entries told", fewer.bytes(), {"more entries"}},
      {"too many entries told", more.bytes(), {"directory"}},
      {"a wrong zip64 locator", bad_locator, {"zip64"}},
      {"zip64 told but absent", no_zip64, {"zip64"}},
      {"nothing", "", {"truncated"}},
      {"a page of HTML", "<!doctype html><title>Blocked</title>", {"truncated"}},
  });
}

TEST_CASE("members that are not what the directory tells are refused") {
  const auto packed = [](const std::string& bytes) {
    return with([&](ZipEntry& entry) { entry.packed = bytes; });
  };
  const std::string whole = deflated("content");
  check_all_refused({
      {"a wrong CRC", with([](ZipEntry& entry) { entry.crc = 1; }), {"`lib/x`", "CRC"}},
      {"no deflate stream", packed("\xff\xff\xff\xff no deflate"), {"`lib/x`", "deflate"}},
      {"a deflate stream cut", packed(whole.substr(0, whole.size() - 2)), {"`lib/x`", "truncated"}},
      {"an empty deflate stream", packed(""), {"`lib/x`", "truncated"}},
      {"bytes behind the deflate stream", packed(whole + "x"), {"`lib/x`", "behind"}},
      {"many bytes behind the deflate stream",
       packed(whole + noise(900'000)),
       {"`lib/x`", "behind"}},
      {"more than told", packed(deflated("content and more")), {"`lib/x`"}},
      {"much more than told", packed(deflated(std::string(10 << 20, 'x'))), {"`lib/x`", "larger"}},
      {"less than told", packed(deflated("con")), {"`lib/x`", "another size"}},
  });
}

TEST_CASE("a RECORD that lies, or says too little, is found out") {
  const std::string digest = "LXEWQrcmsEQBYnyp-6wy9chTD7GQPMTbAiWHF5IaSIE";  // of "x"
  const auto recorded = [&](const std::string& lines) {
    ZipBuilder zip;
    return zip.file("lib/x", "x").record(info, lines + info + "/RECORD,,\n").bytes();
  };
  ZipBuilder none;
  none.file("lib/x", "x");
  ZipBuilder two = amid_good([](ZipBuilder& zip) { zip.file("other-2.dist-info/RECORD", ""); });
  check_all_refused({
      {"none", none.bytes(), {"no RECORD"}},
      {"two", two.bytes(), {"two RECORD"}},
      {"a file that is not listed", recorded(""), {"`lib/x`", "not listed"}},
      {"a file that is not there",
       recorded("lib/x,sha256=" + digest + ",1\nlib/y,sha256=" + digest + ",1\n"),
       {"`lib/y`", "not in the wheel"}},
      {"a wrong digest",
       recorded("lib/x,sha256=M" + digest.substr(1) + ",1\n"),
       {"`lib/x`", "checksum in RECORD"}},
      {"a wrong size", recorded("lib/x,sha256=" + digest + ",2\n"), {"`lib/x`", "another size"}},
      {"no digest", recorded("lib/x,,1\n"), {"line 1", "`lib/x`", "without a SHA-256"}},
      {"no size", recorded("lib/x,sha256=" + digest + ",\n"), {"`lib/x`", "without a size"}},
      {"another hash", recorded("lib/x,md5=" + digest + ",1\n"), {"without a SHA-256"}},
      {"a digest cut", recorded("lib/x,sha256=" + digest.substr(1) + ",1\n"), {"SHA-256"}},
      {"listed twice",
       recorded("lib/x,sha256=" + digest + ",1\nlib/x,sha256=" + digest + ",1\n"),
       {"line 2", "twice"}},
      {"two fields", recorded("lib/x,sha256=" + digest + "\n"), {"line 1", "three fields"}},
      {"an open quote", recorded("\"lib/x,sha256=" + digest + ",1\n"), {"quote"}},
      {"garbage", recorded(noise(300)), {"line 1"}},
      {"a path that leads out", recorded("../../x,sha256=" + digest + ",1\n"), {"`../../x`"}},
      {"a size past all bounds",
       recorded("lib/x,sha256=" + digest + ",99999999999999999999\n"),
       {"without a size"}},
      {"a negative size", recorded("lib/x,sha256=" + digest + ",-1\n"), {"without a size"}},
  });
}

TEST_CASE("wheels past the limits are refused before they are inflated") {
  const Sandbox box;
  auto request = box.request();
  std::size_t zeros = 2 << 20;
  SUBCASE("ratio") {
    // A ratio counts only beyond the first 64 MiB.
    zeros = 70 << 20;
    request.limits.ratio = 10;
  }
  SUBCASE("bytes") { request.limits.bytes = 1 << 20; }
  SUBCASE("entries") { request.limits.entries = 2; }
  ZipBuilder zip;
  zip.file("lib/zeros", std::string(zeros, '\0')).file("lib/x", "x").record(info);
  box.put(zip.bytes());
  const auto error = error_of([&] { unpack_wheel(request, uninterrupted); });
  REQUIRE(error);
  CHECK(error->kind() == ErrorKind::corrupt);
  CHECK(std::string(error->what()).find("more than") != std::string::npos);
  CHECK(std::filesystem::is_empty(box.into()));
}

TEST_CASE("every prefix of a wheel is refused, and every flipped bit is found or harmless") {
  const Sandbox box;
  const std::string good = good_wheel();
  box.put(good);
  unpack_wheel(box.request(), uninterrupted);
  const std::string tree = box.tree();
  box.clear();
  for (std::size_t length = 0; length < good.size(); length += 7) {
    box.put(good.substr(0, length));
    CHECK(error_of([&] { unpack_wheel(box.request(), uninterrupted); }));
    box.clear();
  }
  for (std::size_t at = 0; at < good.size(); at += 3) {
    CAPTURE(at);
    std::string flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    box.put(flipped);
    auto request = box.request();
    request.threads = 1 + at % 2;
    // What is not found out is a time stamp or the like, and changes nothing.
    if (!error_of([&] { unpack_wheel(request, uninterrupted); })) CHECK(box.tree() == tree);
    CHECK(box.holds_only_tame_entries());
    box.clear();
  }
  CHECK(box.is_untouched());
}
