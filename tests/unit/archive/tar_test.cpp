#include <fstream>
#include <set>
#include <sys/stat.h>

#include "sandbox.hpp"
#include "sys/sha256.hpp"

namespace {

using namespace cudaenv;
using namespace cudaenv::test;
using archive::Entry;
using archive::unpack;

const NoInterrupt uninterrupted;

// What one gets from NVIDIA, in small.
TarBuilder sample() {
  TarBuilder tar;
  tar.folder("top").folder("top/bin").file("top/bin/nvcc", "#!/bin/sh\n", 0755);
  tar.folder("top/include", 0700).file("top/include/cuda.h", "#pragma once\n", 0600);
  tar.folder("top/lib").file("top/lib/libcudart.so.12.1", noise(3000), 0775);
  tar.symlink("top/lib/libcudart.so", "libcudart.so.12");
  tar.symlink("top/lib/libcudart.so.12", "libcudart.so.12.1");
  tar.file("top/empty", "").folder("top/hollow");
  return tar;
}

class UmaskScope {
 public:
  explicit UmaskScope(mode_t mask) : before_(::umask(mask)) {}
  ~UmaskScope() { ::umask(before_); }

 private:
  mode_t before_;
};

}  // namespace

TEST_CASE("an archive is unpacked alike however it is packed") {
  const std::string tar = sample().bytes();
  const Sandbox reference;
  reference.put(tar);
  unpack(reference.request(), uninterrupted);

  CHECK(reference.read("top/bin/nvcc") == "#!/bin/sh\n");
  CHECK(reference.read("top/lib/libcudart.so") == noise(3000));
  CHECK(reference.is_untouched());
  for (const std::string& packed :
       {xz_packed(tar), xz_packed(tar, 4096),
        xz_packed(tar.substr(0, 2048)) + xz_packed(tar.substr(2048)),
        xz_packed(tar) + std::string(8, '\0'), gzip_packed(tar), zstd_packed(tar),
        xz_packed(tar + std::string(1 << 20, '\0'))}) {
    const Sandbox box;
    box.put(packed);
    unpack(box.request(), uninterrupted);
    CHECK(box.tree() == reference.tree());
  }
}

TEST_CASE("each file and link is told, and a folder only where it is empty") {
  const Sandbox box;
  box.put(xz_packed(sample().bytes()));
  const auto entries = unpack(box.request(), uninterrupted);

  CHECK(entries.size() == 7);
  const Entry* nvcc = find(entries, "top/bin/nvcc");
  REQUIRE(nvcc);
  CHECK(nvcc->kind == Entry::Kind::file);
  CHECK(nvcc->mode == 0755);
  CHECK(nvcc->size == 10);
  CHECK(*nvcc->sha256 == sys::sha256("#!/bin/sh\n"));
  const Entry* empty = find(entries, "top/empty");
  REQUIRE(empty);
  CHECK(*empty->sha256 == sys::sha256(""));
  const Entry* link = find(entries, "top/lib/libcudart.so");
  REQUIRE(link);
  CHECK(link->kind == Entry::Kind::symlink);
  CHECK(link->target == "libcudart.so.12");
  const Entry* hollow = find(entries, "top/hollow");
  REQUIRE(hollow);
  CHECK(hollow->kind == Entry::Kind::directory);
}

TEST_CASE("modes are 755 and 644, whatever the archive and the umask say") {
  const Sandbox box;
  box.put(xz_packed(sample().bytes()));
  {
    const UmaskScope strict(077);
    unpack(box.request(), uninterrupted);
  }
  const auto mode = [&](const char* path) {
    struct ::stat found;
    REQUIRE(::lstat((box.into() / path).c_str(), &found) == 0);
    return found.st_mode & 07777u;
  };
  CHECK(mode("top") == 0755);
  CHECK(mode("top/include") == 0755);
  CHECK(mode("top/hollow") == 0755);
  CHECK(mode("top/bin/nvcc") == 0755);
  CHECK(mode("top/lib/libcudart.so.12.1") == 0755);
  CHECK(mode("top/include/cuda.h") == 0644);
}

TEST_CASE("`place` moves entries and leaves some out") {
  const Sandbox box;
  box.put(xz_packed(sample().bytes()));
  auto request = box.request();
  std::set<std::string> seen;
  request.place = [&](const std::string& path) -> std::optional<std::string> {
    seen.insert(path);
    if (path == "top" || path.starts_with("top/include")) return std::nullopt;
    return path.substr(4);
  };
  const auto entries = unpack(request, uninterrupted);

  CHECK(seen.count("top/include/cuda.h") == 1);
  CHECK(seen.count("top/hollow") == 1);
  CHECK(find(entries, "bin/nvcc"));
  CHECK_FALSE(find(entries, "include/cuda.h"));
  CHECK_FALSE(std::filesystem::exists(box.into() / "include"));
  CHECK(box.read("lib/libcudart.so") == noise(3000));
}

TEST_CASE("what `place` says is checked like any other path") {
  for (const char* bad : {"../evil", "/evil", "a/../../evil"}) {
    const Sandbox box;
    box.put(xz_packed(sample().bytes()));
    auto request = box.request();
    request.place = [&](const std::string&) { return std::string(bad); };
    CHECK(error_of([&] { unpack(request, uninterrupted); }));
    CHECK(box.is_untouched());
  }
}

TEST_CASE("a link that `place` moves must still stay in the tree") {
  const Sandbox box;
  TarBuilder tar;
  tar.file("top/a", "a").symlink("top/lib/l", "../a");
  box.put(xz_packed(tar.bytes()));
  auto request = box.request();
  request.place = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  CHECK(error_of([&] { unpack(request, uninterrupted); }));
}

TEST_CASE("two entries may go to one path where they are equal") {
  TarBuilder tar;
  tar.file("a/x", "same").file("b/x", "same").symlink("a/l", "x").symlink("b/l", "x");
  tar.file("c/x", "different");
  const Sandbox box;
  box.put(xz_packed(tar.bytes()));
  auto request = box.request();
  request.place = [](const std::string& path) -> std::optional<std::string> {
    if (path.starts_with("c")) return std::nullopt;
    return "merged" + path.substr(1);
  };
  CHECK(unpack(request, uninterrupted).size() == 2);
  CHECK(box.read("merged/l") == "same");

  box.clear();
  request.place = [](const std::string& path) { return "merged" + path.substr(1); };
  const auto error = error_of([&] { unpack(request, uninterrupted); });
  REQUIRE(error);
  CHECK(std::string(error->what()).find("`merged/x` is there twice") != std::string::npos);
}

TEST_CASE("hard links become equal files") {
  const Sandbox box;
  TarBuilder tar;
  tar.file("top/a", "content", 0755).hard_link("top/d/b", "top/a").hard_link("./c", "./top/d/b");
  tar.symlink("top/l", "a").hard_link("top/m", "top/l");
  box.put(xz_packed(tar.bytes()));
  const auto entries = unpack(box.request(), uninterrupted);
  for (const char* name : {"top/d/b", "c"}) {
    CHECK(box.read(name) == "content");
    const Entry* entry = find(entries, name);
    REQUIRE(entry);
    CHECK(entry->mode == 0755);
    CHECK(entry->size == 7);
    CHECK(*entry->sha256 == sys::sha256("content"));
  }
  CHECK(find(entries, "top/m")->target == "a");
}

TEST_CASE("a hard link is kept where the file that it names is left out") {
  const Sandbox box;
  TarBuilder tar;
  tar.file("top/a", "content", 0755).hard_link("top/b", "top/a").hard_link("top/c", "top/a");
  tar.file("top/z", "z");
  const auto built = box.put(xz_packed(tar.bytes()));
  auto request = box.request();
  std::uint64_t told = 0;
  request.on_bytes = [&](std::uint64_t bytes) { told += bytes; };
  request.sha256 = Digest::from_hex(built.sha256);
  request.place = [](const std::string& path) -> std::optional<std::string> {
    if (path == "top/a") return std::nullopt;
    return path;
  };
  const auto entries = unpack(request, uninterrupted);
  CHECK(entries.size() == 3);
  CHECK(box.read("top/b") == "content");
  CHECK(box.read("top/c") == "content");
  CHECK(find(entries, "top/c")->mode == 0755);
  CHECK_FALSE(std::filesystem::exists(box.into() / "top/a"));
  CHECK(told == built.size);
}

TEST_CASE("names are bytes: other alphabets, other encodings, twins by case, long ones") {
  const std::string deep =
      "top/" + std::string(90, 'a') + "/" + std::string(90, 'b') + "/" + std::string(250, 'c');
  const Sandbox box;
  TarBuilder tar;
  tar.file(
         "top/gr\xc3\xb6\xc3\x9f"
         "e",
         "utf-8")
      .file(
          "top/gr\xf6\xdf"
          "e",
          "latin-1");
  tar.pax({{"path", "top/\xe6\xbc\xa2"}}).file("top/x", "pax");
  tar.file("top/License", "one").file("top/LICENSE", "other");
  tar.file(deep, "pax long");
  tar.gnu_long('L', deep + "-gnu").file("top/cut", "gnu long");
  tar.gnu_long('K', std::string(90, 'a') + "/" + std::string(90, 'b')).symlink("top/l", "cut");
  tar.file(" spaces and 'quotes' ", "q");
  box.put(xz_packed(tar.bytes()));
  unpack(box.request(), uninterrupted);
  CHECK(box.read("top/gr\xc3\xb6\xc3\x9f"
                 "e") == "utf-8");
  CHECK(box.read("top/gr\xf6\xdf"
                 "e") == "latin-1");
  CHECK(box.read("top/\xe6\xbc\xa2") == "pax");
  CHECK(box.read("top/License") == "one");
  CHECK(box.read("top/LICENSE") == "other");
  CHECK(box.read(deep) == "pax long");
  CHECK(std::filesystem::is_directory(box.into() / "top/l"));
  CHECK(box.read(" spaces and 'quotes' ") == "q");
}

TEST_CASE("an archive of the current folder has its entries at the top") {
  const Sandbox box;
  TarBuilder tar;
  tar.folder(".").file("./a", "a").folder("./d").file("././d/b", "b");
  box.put(xz_packed(tar.bytes()));
  CHECK(unpack(box.request(), uninterrupted).size() == 2);
  CHECK(box.read("d/b") == "b");
}

TEST_CASE("links inside the tree are kept, with `..` worked out where it follows a name") {
  const Sandbox box;
  TarBuilder tar;
  tar.file("top/lib/a", "a").folder("top/bin");
  tar.symlink("top/lib64", "lib").symlink("top/bin/a", "../lib/a");
  tar.symlink("top/round", "bin/../lib/./a").symlink("top/dangling", "not/here");
  tar.symlink("top/through", "lib64/a").symlink("top/here", ".");
  box.put(xz_packed(tar.bytes()));
  const auto entries = unpack(box.request(), uninterrupted);
  CHECK(box.read("top/bin/a") == "a");
  CHECK(box.read("top/round") == "a");
  CHECK(box.read("top/through") == "a");
  CHECK(find(entries, "top/round")->target == "lib/a");
  CHECK(find(entries, "top/here")->target == ".");
  CHECK(std::filesystem::is_symlink(box.into() / "top/dangling"));
}

TEST_CASE("sparse files have their holes as zeros") {
  const Sandbox box;
  TarBuilder tar;
  tar.pax({{"GNU.sparse.major", "1"},
           {"GNU.sparse.minor", "0"},
           {"GNU.sparse.name", "top/sparse"},
           {"GNU.sparse.realsize", "1000000"}});
  std::string map = "1\n500000\n512\n";
  map.resize(512, '\0');
  tar.file("top/GNUSparseFile.0/sparse", map + std::string(512, 'x'));
  box.put(xz_packed(tar.bytes()));
  const auto entries = unpack(box.request(), uninterrupted);
  std::string expected(1'000'000, '\0');
  expected.replace(500'000, 512, std::string(512, 'x'));
  CHECK(box.read("top/sparse") == expected);
  CHECK(*find(entries, "top/sparse")->sha256 == sys::sha256(expected));
}

TEST_CASE("the bytes told sum up to the archive, and its digest is checked") {
  const Sandbox box;
  TarBuilder tar;
  tar.file("top/noise", noise(3'000'000));
  for (const std::string& packed :
       {xz_packed(tar.bytes()), xz_packed(tar.bytes(), 1 << 20), gzip_packed(tar.bytes()),
        zstd_packed(tar.bytes()), tar.bytes()}) {
    const auto built = box.put(packed);
    auto request = box.request();
    request.threads = 2;
    request.sha256 = Digest::from_hex(built.sha256);
    std::atomic<std::uint64_t> told = 0;
    std::atomic<int> calls = 0;
    request.on_bytes = [&](std::uint64_t bytes) {
      told += bytes;
      ++calls;
    };
    unpack(request, uninterrupted);
    CHECK(told == built.size);
    CHECK(calls > 5);
    box.clear();

    request.sha256 = sys::sha256("another");
    const auto error = error_of([&] { unpack(request, uninterrupted); });
    REQUIRE(error);
    CHECK(error->kind() == ErrorKind::corrupt);
    const std::string text = error->what();
    CHECK(text.find("expected " + sys::sha256("another").hex()) != std::string::npos);
    CHECK(text.find("received " + built.sha256) != std::string::npos);
    box.clear();
  }
}

TEST_CASE("whoever asks to stop is heard soon") {
  const Sandbox box;
  TarBuilder tar;
  tar.entry({"top/zeros", '0', 0644, 16u << 20}, std::string(16u << 20, '\0'));
  box.put(xz_packed(tar.bytes()));
  for (const int patience : {0, 1, 2, 5, 20}) {
    const ImpatientInterrupt interrupt(patience);
    CHECK_THROWS_AS(unpack(box.request(), interrupt), Interrupted);
    const auto written = box.into() / "top/zeros";
    if (std::filesystem::exists(written)) {
      CHECK(std::filesystem::file_size(written) <= (static_cast<unsigned>(patience) + 1) << 20);
    }
    box.clear();
  }
}

TEST_CASE("a large file streams through") {
  const Sandbox box;
  std::string bytes;
  const std::string piece = noise(1 << 17);
  while (bytes.size() < 64u << 20) bytes += piece + std::to_string(bytes.size());
  TarBuilder tar;
  tar.file("top/large", bytes).file("top/next", "next");
  for (const std::size_t block : {std::size_t{0}, std::size_t{8} << 20}) {
    const auto built = box.put(xz_packed(tar.bytes(), block));
    auto request = box.request();
    request.sha256 = Digest::from_hex(built.sha256);
    request.threads = 2;
    const auto entries = unpack(request, uninterrupted);
    CHECK(*find(entries, "top/large")->sha256 == sys::sha256(bytes));
    CHECK(box.read("top/large") == bytes);
    CHECK(box.read("top/next") == "next");
    box.clear();
  }
}

TEST_CASE("a destination that is not there is not the archive's fault") {
  const Sandbox box;
  TarBuilder tar;
  tar.file("top/a", "a");
  box.put(xz_packed(tar.bytes()));
  auto request = box.request();
  request.destination = box.into() / "missing";
  const auto error = error_of([&] { unpack(request, uninterrupted); });
  REQUIRE(error);
  CHECK(error->kind() == ErrorKind::system);
  CHECK(error->message() == "cannot unpack sample-archive");
}
