// What an archive may cost that was made to cost much: each is unpacked in a child whose memory
// is measured.

#include <functional>
#include <iterator>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "sandbox.hpp"
#include "support/sanitizer.hpp"

namespace {

using namespace cudaenv;
using namespace cudaenv::test;

const NoInterrupt uninterrupted;

long peak_kib() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Cost {
  std::string error;  // what the unpacking ended with, empty where it ended well
  long kib = 0;       // by which memory grew
};

// A process of its own starts from what this one holds at the moment, not from its peak.
Cost cost_of(const std::function<void()>& unpack) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const long before = peak_kib();
    const auto error = error_of(unpack);
    std::string text = fmt::format("{} {}", peak_kib() - before, error ? error->what() : "");
    text.resize(std::min<std::size_t>(text.size(), 4000));
    const bool told = ::write(ends[1], text.data(), text.size()) > 0;
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string told(4096, '\0');
  const ssize_t got = ::read(ends[0], told.data(), told.size());
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  told.resize(static_cast<std::size_t>(got));
  return {told.substr(told.find(' ') + 1), std::stol(told)};
}

std::size_t entries_in(const std::filesystem::path& folder) {
  const std::filesystem::recursive_directory_iterator all(folder);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

struct Costly {
  const char* what;
  std::string bytes;
  std::string told;  // part of the message
  archive::Limits limits{};
};

// It ends in an error before memory has grown by `most_mib` or many files have been made.
void check_bounded(const Costly& costly, long most_mib, unsigned threads = 1) {
  CAPTURE(costly.what);
  CAPTURE(threads);
  const Sandbox box;
  box.put(costly.bytes);
  auto request = box.request();
  request.threads = threads;
  request.limits = costly.limits;
  const bool is_zip = costly.bytes.starts_with("PK");
  const Cost cost = cost_of([&] {
    is_zip ? archive::unpack_wheel(request, uninterrupted)
           : archive::unpack(request, uninterrupted);
  });
  CAPTURE(cost.error);
  CHECK(cost.error.starts_with("cannot unpack sample-archive"));
  CHECK(cost.error.find(costly.told) != std::string::npos);
  if (!under_sanitizer) CHECK(cost.kib < most_mib << 10);
  CHECK(box.is_untouched());
  CHECK(entries_in(box.into()) < 20'000);
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t n = 0; n < count; ++n) all += text;
  return all;
}

// The same entries again and again, as so many streams of xz.
std::string many(std::size_t count, const std::function<void(TarBuilder&, std::size_t)>& add) {
  constexpr std::size_t in_one = 5000;
  TarBuilder tar;
  for (std::size_t n = 0; n < std::min(count, in_one); ++n) add(tar, n);
  return repeated(xz_packed(tar.body()), std::max<std::size_t>(1, count / in_one)) +
         xz_packed(std::string(1024, '\0'));
}

std::string deep_path(std::size_t n) { return fmt::format("{}/", n) + repeated("d/", 500) + "f"; }

}  // namespace

TEST_CASE("folders that only paths name count as entries") {
  archive::Limits limits;
  limits.entries = 2000;
  check_bounded({"folders in few paths",
                 many(10, [](TarBuilder& tar, std::size_t n) { tar.file(deep_path(n), ""); }),
                 "more than 2000 entries", limits},
                20);
  limits.entries = 400'000;
  limits.names = 1 << 20;
  check_bounded({"long names of folders",
                 many(10, [](TarBuilder& tar, std::size_t n) { tar.file(deep_path(n), ""); }),
                 "names in the archive take more than 1.0 MB", limits},
                20);
  ZipBuilder zip;
  for (std::size_t n = 0; n < 10; ++n) zip.file(deep_path(n), "");
  zip.record("x-1.dist-info");
  check_bounded({"long names of folders", zip.bytes(), "names", limits}, 20, 2);
}

TEST_CASE("names do not fill the memory") {
  const std::string long_path = repeated(std::string(200, 'n') + "/", 5);
  check_bounded(
      {"long targets",
       many(50'000,
            [&](TarBuilder& tar, std::size_t n) { tar.symlink(fmt::format("l{}", n), long_path); }),
       "names"},
      100);
  check_bounded({"a million entries",
                 many(1'000'000, [](TarBuilder& tar,
                                    std::size_t n) { tar.symlink(fmt::format("l{}", n), "x"); }),
                 "more than 400000 entries"},
                300);
}

TEST_CASE("the map of a sparse file does not fill the memory") {
  const std::size_t pieces = 8'000'000;
  TarBuilder tar;
  tar.pax({{"GNU.sparse.major", "1"},
           {"GNU.sparse.minor", "0"},
           {"GNU.sparse.name", "top/sparse"},
           {"GNU.sparse.realsize", "1"}});
  tar.file("top/sparse", fmt::format("{}\n", pieces) + repeated("0\n0\n", pieces));
  check_bounded({"a long map", xz_packed(tar.bytes()), "header"}, 100);

  // GNU's own form: each block of the map says that another follows.
  std::string block =
      repeated(std::string("00000000001\0", 12) + std::string("00000000000\0", 12), 21);
  block += '\1';
  block.resize(512, '\0');
  TarHeader header{"top/sparse", 'S'};
  header.magic = std::string("ustar  \0", 8);
  header.is_extended = true;
  TarBuilder old;
  old.entry(header).raw(repeated(block, 100'000));
  check_bounded({"an endless map", xz_packed(old.bytes()), ""}, 100);
}

TEST_CASE("links that pass through each other again and again end soon") {
  const std::string tail = repeated("/x", 500);
  check_bounded({"a tangle of links",
                 many(3000,
                      [&](TarBuilder& tar, std::size_t n) {
                        const std::size_t next = n % 39;
                        if (next == 0) return void(tar.symlink(fmt::format("l{}", n), "end"));
                        tar.symlink(fmt::format("l{}", n), fmt::format("l{}", n - 1) + tail);
                      }),
                 " link"},
                100);
}

TEST_CASE("blocks of xz that promise much are not given the memory for it") {
  TarBuilder tar;
  tar.entry({"top/zeros", '0', 0644, 3ull << 30});
  const std::string zeros = std::string(128u << 20, '\0');
  const std::string block = xz_packed(zeros, zeros.size());
  const std::string packed =
      xz_packed(tar.body()) + repeated(block, 4) + xz_packed(std::string(1024, '\0'));
  check_bounded({"blocks of 128 MiB", packed, "times its size"}, 100);
  check_bounded({"blocks of 128 MiB", packed, "times its size"}, 100, 4);
}

TEST_CASE("a wheel's directory and RECORD do not fill the memory") {
  ZipBuilder members;
  for (int n = 0; n < 100'001; ++n) members.file(std::to_string(n), "");
  members.zip64_end = true;
  archive::Limits limits;
  limits.entries = 100'000;
  check_bounded({"a directory of 100,001", members.bytes(), "more than 100000 entries", limits}, 5);

  ZipBuilder record;
  record.file("x", "x").record("x-1.dist-info", std::string(20u << 20, '\n'));
  check_bounded({"a RECORD of 20 MiB", record.bytes(), "RECORD` is larger than"}, 10);
  ZipBuilder lines;
  lines.file("x", "x").record("x-1.dist-info", std::string(15u << 20, '\n'));
  check_bounded({"a RECORD of empty lines", lines.bytes(), "not listed in RECORD"}, 50);
}
