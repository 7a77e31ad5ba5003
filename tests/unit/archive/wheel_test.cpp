#include <mutex>
#include <set>
#include <sys/stat.h>

#include <fmt/format.h>

#include "sandbox.hpp"
#include "sys/sha256.hpp"

namespace {

using namespace cudaenv;
using namespace cudaenv::test;
using archive::Entry;
using archive::unpack_wheel;

const NoInterrupt uninterrupted;
const std::string info = "nvidia_sample-1.0.dist-info";

std::vector<BuiltFile> sample_files() {
  return {{"nvidia/cu13/bin/nvcc",
           "\x7f"
           "ELF and so on",
           0664},
          {"nvidia/cu13/bin/nvcc.profile", "TOP = .\n"},
          {"nvidia/cu13/lib/libcudart.so.13",
           "\x7f"
           "ELF" +
               noise(200'000),
           0744},
          {"nvidia/cu13/include/with, comma.h", ""},
          {"nvidia/__init__.py", ""}};
}

BuiltArchive sample(const Sandbox& box) {
  return build_wheel(box.archive(), "nvidia_sample", "1.0", sample_files());
}

}  // namespace

TEST_CASE("a wheel is unpacked and its files are told") {
  const Sandbox box;
  const auto built = sample(box);
  for (const unsigned threads : {1u, 4u}) {
    auto request = box.request();
    request.threads = threads;
    request.sha256 = Digest::from_hex(built.sha256);
    request.executable = [](const std::string& placed, std::string_view head) {
      return placed.find("/bin/") != std::string::npos && head.starts_with(
                                                              "\x7f"
                                                              "ELF");
    };
    std::atomic<std::uint64_t> told = 0;
    request.on_bytes = [&](std::uint64_t bytes) { told += bytes; };
    const auto entries = unpack_wheel(request, uninterrupted);

    CHECK(entries.size() == 9);
    CHECK(told == built.size);
    for (const auto& file : sample_files()) {
      CHECK(box.read(file.path) == file.bytes);
      const Entry* entry = find(entries, file.path);
      REQUIRE(entry);
      CHECK(entry->size == file.bytes.size());
      CHECK(*entry->sha256 == sys::sha256(file.bytes));
      CHECK(entry->mode == (file.path == "nvidia/cu13/bin/nvcc" ? 0755 : 0644));
      struct ::stat found;
      REQUIRE(::lstat((box.into() / file.path).c_str(), &found) == 0);
      CHECK((found.st_mode & 07777u) == entry->mode);
    }
    CHECK(box.is_untouched());
    box.clear();
  }
}

TEST_CASE("`place` moves a wheel's files and leaves some out, unread") {
  const Sandbox box;
  ZipBuilder zip;
  zip.file("nvidia/cu13/bin/nvcc", "nvcc");
  ZipEntry broken{"nvidia/__init__.py", "not needed"};
  broken.packed.emplace("no deflate stream");
  zip.add(broken).record(info);
  box.put(zip.bytes());
  auto request = box.request();
  request.place = [](const std::string& path) -> std::optional<std::string> {
    if (!path.starts_with("nvidia/cu13/")) return std::nullopt;
    return path.substr(12);
  };
  const auto entries = unpack_wheel(request, uninterrupted);
  CHECK(entries.size() == 1);
  CHECK(box.read("bin/nvcc") == "nvcc");
}

TEST_CASE("a large member, a stored one and many small ones are read, several at a time") {
  const Sandbox box;
  const std::string piece = noise(100'000);
  std::string large;
  while (large.size() < 20u << 20) large += piece + std::to_string(large.size());
  ZipBuilder zip;
  zip.file("lib/large", large);
  ZipEntry stored{"lib/stored", noise(1'000'000)};
  stored.deflated = false;
  zip.add(stored);
  for (int n = 0; n < 300; ++n) zip.file(fmt::format("include/{}/{}.h", n % 7, n), noise(500, 2));
  zip.record(info);
  const auto built = box.put(zip.bytes());
  auto request = box.request();
  request.threads = 3;
  request.sha256 = Digest::from_hex(built.sha256);
  std::atomic<std::uint64_t> told = 0;
  request.on_bytes = [&](std::uint64_t bytes) { told += bytes; };
  CHECK(unpack_wheel(request, uninterrupted).size() == 303);
  CHECK(box.read("lib/large") == large);
  CHECK(box.read("lib/stored") == noise(1'000'000));
  CHECK(box.read("include/5/12.h") == noise(500, 2));
  CHECK(told == built.size);

  box.clear();
  request.sha256 = sys::sha256("another");
  const auto error = error_of([&] { unpack_wheel(request, uninterrupted); });
  REQUIRE(error);
  CHECK(error->kind() == ErrorKind::corrupt);
  CHECK(std::string(error->what()).find("received " + built.sha256) != std::string::npos);
}

TEST_CASE("zip64 and sizes behind the data are read") {
  const Sandbox box;
  ZipBuilder zip;
  ZipEntry wide{"wide", "zip64"};
  wide.zip64 = true;
  zip.add(wide);
  ZipEntry streamed{"streamed", "sizes follow"};
  streamed.flags = 8;
  zip.add(streamed);
  ZipEntry both{"both", "sizes follow, wide"};
  both.zip64 = true;
  both.flags = 8;
  zip.add(both).record(info);
  zip.zip64_end = true;
  box.put(zip.bytes());
  CHECK(unpack_wheel(box.request(), uninterrupted).size() == 4);
  CHECK(box.read("wide") == "zip64");
  CHECK(box.read("streamed") == "sizes follow");
  CHECK(box.read("both") == "sizes follow, wide");
}

TEST_CASE("RECORD may quote names, end lines with CRLF and leave its signatures out") {
  const Sandbox box;
  ZipBuilder zip;
  zip.file("a, \"b\"", "x").file(info + "/RECORD.jws", "signature");
  zip.record(info, fmt::format("\"a, \"\"b\"\"\",sha256={},1\r\n{}/RECORD,,\r\n",
                               "LXEWQrcmsEQBYnyp-6wy9chTD7GQPMTbAiWHF5IaSIE", info));
  box.put(zip.bytes());
  CHECK(unpack_wheel(box.request(), uninterrupted).size() == 3);
  CHECK(box.read("a, \"b\"") == "x");
}

TEST_CASE("one small member of a zip is read without unpacking") {
  const Sandbox box;
  sample(box);
  const auto metadata = archive::read_zip_member(box.archive(), info + "/METADATA", 1000);
  REQUIRE(metadata);
  CHECK(metadata->find("Name: nvidia_sample\n") != std::string::npos);
  CHECK_FALSE(archive::read_zip_member(box.archive(), "missing", 1000));
  CHECK(archive::read_zip_member(box.archive(), "nvidia/__init__.py", 0)->empty());
  const auto error = error_of(
      [&] { archive::read_zip_member(box.archive(), "nvidia/cu13/lib/libcudart.so.13", 1000); });
  REQUIRE(error);
  CHECK(error->message() == "cannot read sample-archive");
}

TEST_CASE("the names of a zip are told in its own order") {
  const Sandbox box;
  sample(box);
  CHECK(archive::list_zip(box.archive(), "x") ==
        std::vector<std::string>{"nvidia/cu13/bin/nvcc", "nvidia/cu13/bin/nvcc.profile",
                                 "nvidia/cu13/lib/libcudart.so.13",
                                 "nvidia/cu13/include/with, comma.h", "nvidia/__init__.py",
                                 info + "/METADATA", info + "/WHEEL", info + "/License.txt",
                                 info + "/RECORD"});
}

TEST_CASE("a plain zip is unpacked with its modes and links, and without RECORD") {
  const Sandbox box;
  ZipBuilder zip;
  ZipEntry folder{"top/hollow/", ""};
  folder.deflated = false;
  folder.mode = 040755;
  ZipEntry program{"top/bin/nvcc", "nvcc"};
  program.mode = 0100700;
  ZipEntry link{"top/nvcc", "bin/nvcc"};
  link.mode = 0120777;
  zip.add(folder).add(program).add(link).file("top/LICENSE", "do as you like");
  const auto built = box.put(zip.bytes());
  auto request = box.request();
  request.sha256 = Digest::from_hex(built.sha256);
  const auto entries = archive::unpack(request, uninterrupted);
  CHECK(entries.size() == 4);
  CHECK(find(entries, "top/bin/nvcc")->mode == 0755);
  CHECK(find(entries, "top/LICENSE")->mode == 0644);
  CHECK(find(entries, "top/nvcc")->target == "bin/nvcc");
  CHECK(find(entries, "top/hollow")->kind == Entry::Kind::directory);
  CHECK(box.read("top/nvcc") == "nvcc");
}

TEST_CASE("whoever asks a wheel to stop is heard soon") {
  const Sandbox box;
  ZipBuilder zip;
  zip.file("large", std::string(20 << 20, '\0')).file("small", "x").record(info);
  box.put(zip.bytes());
  for (const unsigned threads : {1u, 3u}) {
    for (const int patience : {0, 5, 20}) {
      auto request = box.request();
      request.threads = threads;
      const ImpatientInterrupt interrupt(patience);
      CHECK_THROWS_AS(unpack_wheel(request, interrupt), Interrupted);
      box.clear();
    }
  }
}
