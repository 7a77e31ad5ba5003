// The corners of the tar and xz formats that differ from reader to reader.

#include <sys/xattr.h>

#include <fmt/format.h>

#include "hostile_tar.hpp"
#include "sys/sha256.hpp"

namespace {

using namespace cudaenv;
using namespace cudaenv::test;
using archive::unpack;

const NoInterrupt uninterrupted;

TarHeader sized(const std::string& name, const std::string& raw_size) {
  TarHeader header{name, '0'};
  header.raw_size = raw_size;
  return header;
}

std::string gnu_sparse(const std::string& map, const std::string& size) {
  TarBuilder tar;
  tar.folder("top").pax({{"GNU.sparse.major", "1"},
                         {"GNU.sparse.minor", "0"},
                         {"GNU.sparse.name", "top/sparse"},
                         {"GNU.sparse.realsize", size}});
  std::string padded = map;
  padded.resize(512, '\0');
  tar.file("top/sparse", padded + std::string(512, 'x')).file("top/after", "after");
  return xz(tar);
}

// Whether it is unpacked or refused: nothing outside, and nothing odd inside.
void check_tame(const Hostile& odd, unsigned threads) {
  CAPTURE(odd.what);
  CAPTURE(threads);
  const Sandbox box;
  box.put(odd.bytes);
  auto request = box.request();
  request.threads = threads;
  const auto error = error_of([&] { unpack(request, uninterrupted); });
  if (error) CHECK(error->kind() == ErrorKind::corrupt);
  CHECK(box.is_untouched());
  CHECK(box.holds_only_tame_entries());
}

}  // namespace

TEST_CASE("long names and attributes that lead out of the tree are refused in every dialect") {
  for (const Hostile& hostile : std::vector<Hostile>{
           {"a GNU long name with ..",
            amid_good([](auto& tar) { tar.gnu_long('L', "top/../../evil").file("top/x", "x"); }),
            {"`top/../../evil`"}},
           {"a GNU long name over 1024 bytes",
            amid_good([](auto& tar) {
              tar.gnu_long('L', "top/" + std::string(200, 'x') + std::string(2000, '/') + "x")
                  .file("top/x", "x");
            }),
            {"1024 bytes"}},
           {"a GNU long target that leads out",
            amid_good([](auto& tar) {
              tar.gnu_long('K', "../../canary/precious").symlink("top/l", "before");
            }),
            {"`top/l`", "leads out"}},
           {"an absolute GNU long target",
            amid_good([](auto& tar) { tar.gnu_long('K', "/etc/passwd").symlink("top/l", "x"); }),
            {"`top/l`", "absolute"}},
           {"a pax target that leads out",
            amid_good([](auto& tar) {
              tar.pax({{"linkpath", "../../canary/precious"}}).symlink("top/l", "before");
            }),
            {"`top/l`", "leads out"}},
           {"a pax target of a hard link",
            amid_good([](auto& tar) {
              tar.pax({{"linkpath", "../canary/precious"}}).hard_link("top/h", "top/before");
            }),
            {"`../canary/precious`"}},
           {"a pax path with ..",
            amid_good([](auto& tar) {
              tar.pax({{"path", "top/../../evil"}}).file("top/x", "x");
            }),
            {"`top/../../evil`"}},
           {"the last of two pax paths",
            amid_good([](auto& tar) {
              tar.pax({{"path", "top/good"}, {"path", "../evil"}}).file("top/x", "x");
            }),
            {"`../evil`"}},
           {"a sparse file's own name",
            amid_good([](auto& tar) {
              tar.pax({{"GNU.sparse.major", "1"},
                       {"GNU.sparse.minor", "0"},
                       {"GNU.sparse.name", "../evil"},
                       {"GNU.sparse.realsize", "0"}})
                  .file("top/x", std::string("0\n") + std::string(510, '\0'));
            }),
            {"`../evil`"}}}) {
    check_refused(hostile);
  }
}

TEST_CASE("sizes that lie are refused") {
  for (const Hostile& hostile : std::vector<Hostile>{
           {"binary, past 63 bits",
            amid_good([](auto& tar) {
              tar.entry(sized("top/x", std::string("\x80") + std::string(11, '\xff')));
            }),
            {}},
           {"binary, an exabyte",
            amid_good([](auto& tar) {
              tar.entry(sized("top/x", std::string("\x80\0\0\0\x10\0\0\0\0\0\0\0", 12)));
            }),
            {"unpacks to more"}},
           {"octal, more than there is",
            amid_good([](auto& tar) { tar.entry(sized("top/x", "00000777777\0"), "x"); }),
            {"`top/x`", "truncated"}},
           {"pax, negative",
            amid_good([](auto& tar) {
              tar.pax({{"size", "-1"}}).file("top/x", "x");
            }),
            {}},
           {"pieces of a sparse file out of order",
            gnu_sparse("2\n4096\n256\n0\n256\n", "8192"),
            {}},
           {"pieces of a sparse file that overlap",
            gnu_sparse("2\n0\n300\n100\n212\n", "8192"),
            {"do not fit"}},
           {"a piece of a sparse file behind its end", gnu_sparse("1\n9000\n512\n", "8192"), {}},
           {"a negative piece of a sparse file", gnu_sparse("1\n-512\n512\n", "8192"), {}},
           {"a sparse map that is none", gnu_sparse("pieces\n", "8192"), {}}}) {
    check_refused(hostile);
  }
}

TEST_CASE("an xz archive with a wrong check, index or filter is refused") {
  TarBuilder tar;
  tar.folder("top").file("top/a", noise(5000));
  const std::string good = xz(tar);
  const auto changed = [&](std::size_t at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    return bytes;
  };
  for (const Hostile& hostile :
       std::vector<Hostile>{{"the stream's flags", changed(7), {}},
                            {"the block's header", changed(14), {}},
                            {"the index", changed(good.size() - 20), {}},
                            {"the backward size", changed(good.size() - 8), {}},
                            {"the footer's flags", changed(good.size() - 3), {}},
                            {"a second stream that is cut", good + good.substr(0, 20), {}},
                            {"a second stream that is gzip", good + gzip_packed("x"), {}}}) {
    check_refused(hostile);
  }
}

TEST_CASE("what may be read in two ways stays in the tree whichever is taken") {
  const std::string nul = std::string("top/a\0/../../evil", 17);
  TarBuilder good;
  good.folder("top").file("top/a", "a");
  TarBuilder hidden;
  hidden.file("../../evil", "x");
  std::string inner = hidden.bytes();
  const std::vector<Hostile> odd{
      {"a zero byte in a pax path",
       amid_good([&](auto& tar) {
         tar.pax({{"path", nul}}).file("top/x", "x");
       }),
       {}},
      {"a zero byte in a GNU long name",
       amid_good([&](auto& tar) { tar.gnu_long('L', nul).file("top/x", "x"); }),
       {}},
      {"a pax path that is no UTF-8",
       amid_good([](auto& tar) {
         tar.pax({{"path", "top/\xff\xfe"}}).file("top/x", "x");
       }),
       {}},
      {"a pax record of a wrong length",
       amid_good([](auto& tar) {
         tar.entry({"PaxHeaders/x", 'x', 0644, 20}, "99 path=../evil\n1234").file("top/x", "x");
       }),
       {}},
      {"pax attributes of the whole archive",
       amid_good([](auto& tar) {
         const std::string record = "16 path=../evil\n";
         tar.entry({"PaxHeaders/g", 'g', 0644, record.size()}, record).file("top/x", "x");
       }),
       {}},
      {"a size in pax that hides entries in a file",
       amid_good([&](auto& tar) {
         tar.pax({{"size", "0"}}).entry({"top/x", '0', 0644, inner.size()}, inner);
       }),
       {}},
      {"a hard link with content",
       amid_good([](auto& tar) {
         tar.entry({"top/h", '1', 0644, 5, "top/before"}, "evil!");
       }),
       {}},
      {"a folder with content",
       amid_good([](auto& tar) {
         tar.entry({"top/d/", '5', 0755, 5}, "evil!");
       }),
       {}},
      {"a file whose name ends like a folder's",
       amid_good([](auto& tar) { tar.file("top/x/", "x"); }),
       {}},
      {"types that nobody knows",
       amid_good([](auto& tar) {
         tar.entry({"top/x", 'Z', 0644, 1}, "x").entry({"top/y", 'M', 0644, 1}, "y");
       }),
       {}},
      {"an archive of one volume of several",
       amid_good([](auto& tar) {
         tar.entry({"volume", 'V'});
       }),
       {}},
      {"a long name without an entry",
       [] {
         TarBuilder tar;
         return xz(tar.folder("top").gnu_long('L', "top/x"));
       }(),
       {}},
      {"nothing at all", xz(TarBuilder()), {}},
      {"a folder alone", xz(TarBuilder().folder("top")), {}},
      {"the current folder alone", xz(TarBuilder().folder(".")), {}},
      {"two top folders", xz(TarBuilder().file("top/x", "x").file("other/x", "x")), {}},
      {"names that mean something elsewhere",
       xz(TarBuilder().file("C:\\x", "x").file("..\\..\\x", "x").file("-rf", "x").file("~", "x")),
       {}}};
  for (const auto& one : odd) {
    check_tame(one, 1);
    check_tame(one, 2);
  }
}

TEST_CASE("a hostile entry is refused however the archive is packed") {
  TarBuilder tar;
  tar.folder("top").file("top/../../evil", "x");
  const std::string plain = tar.bytes();
  const std::string halves =
      xz_packed(plain.substr(0, 700)) + std::string(8, '\0') + xz_packed(plain.substr(700));
  for (const Hostile& hostile :
       std::vector<Hostile>{{"gzip", gzip_packed(plain), {"`..`"}},
                            {"zstd", zstd_packed(plain), {"`..`"}},
                            {"not at all", plain, {"`..`"}},
                            {"xz in blocks", xz_packed(plain, 512), {"`..`"}},
                            {"xz in two streams with padding", halves, {"`..`"}}}) {
    check_refused(hostile);
  }
}

TEST_CASE("capabilities and other attributes of a file are not taken over") {
  const Sandbox box;
  box.put(amid_good([](auto& tar) {
    tar.pax({{"SCHILY.xattr.security.capability", std::string("\1\0\0\2\xff\xff\xff\xff", 8)},
             {"SCHILY.xattr.user.evil", "x"},
             {"LIBARCHIVE.xattr.user.evil", "eA"},
             {"SCHILY.acl.access", "user:nobody:rwx"},
             {"SCHILY.fflags", "immutable"}})
        .file("top/x", "x", 0755);
  }));
  unpack(box.request(), uninterrupted);
  const auto file = box.into() / "top/x";
  CHECK(::listxattr(file.c_str(), nullptr, 0) <= 0);
  CHECK(box.holds_only_tame_entries());
  CHECK(box.is_untouched());
}
