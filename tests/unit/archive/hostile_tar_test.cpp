// Archives that want to do harm.

#include "hostile_tar.hpp"

#include <ctime>

#include <fmt/format.h>

namespace {

using namespace cudaenv;
using namespace cudaenv::test;

}  // namespace

TEST_CASE("entries whose path leads out of the tree are refused") {
  const std::string long_name = "top/" + std::string(300, 'n');
  const std::string long_path = "top/" + std::string(5000, 'p');
  std::string deep = "top";
  while (deep.size() < 4200) deep += "/folder";
  for (const Hostile& hostile : std::vector<Hostile>{
           {"absolute",
            amid_good([](auto& tar) { tar.file("/tmp/evil", "x"); }),
            {"`/tmp/evil`", "absolute"}},
           {"absolute folder",
            amid_good([](auto& tar) { tar.folder("/tmp/evil"); }),
            {"`/tmp/evil/`", "absolute"}},
           {"absolute in a pax header",
            amid_good([](auto& tar) {
              tar.pax({{"path", "/tmp/evil"}}).file("top/x", "x");
            }),
            {"`/tmp/evil`", "absolute"}},
           {"absolute in a ustar prefix",
            amid_good([](auto& tar) {
              tar.entry({"evil", '0', 0644, 0, "", "/tmp"});
            }),
            {"`/tmp/evil`", "absolute"}},
           {"absolute in a GNU long name",
            amid_good([](auto& tar) {
              tar.gnu_long('L', "/tmp/" + std::string(200, 'x')).file("top/x", "x");
            }),
            {"absolute"}},
           {"..",
            amid_good([](auto& tar) { tar.file("../canary/evil", "x"); }),
            {"`../canary/evil`", "`..`"}},
           {".. in the middle",
            amid_good([](auto& tar) { tar.file("top/../../evil", "x"); }),
            {"`top/../../evil`", "`..`"}},
           {".. at the end", amid_good([](auto& tar) { tar.folder("top/.."); }), {"`..`"}},
           {".. that stays inside",
            amid_good([](auto& tar) { tar.file("top/../x", "x"); }),
            {"`..`"}},
           {". in the middle", amid_good([](auto& tar) { tar.file("top/./x", "x"); }), {"`.`"}},
           {"an empty component",
            amid_good([](auto& tar) { tar.file("top//x", "x"); }),
            {"`top//x`", "empty name"}},
           {"no name",
            amid_good([](auto& tar) {
              tar.entry({"", '0', 0644, 0});
            }),
            {"without a name"}},
           {"a file named .", amid_good([](auto& tar) { tar.file(".", "x"); }), {"whole tree"}},
           {"a newline",
            amid_good([](auto& tar) { tar.file("top/a\nb", "x"); }),
            {"`top/a\\nb`", "control character"}},
           {"an escape",
            amid_good([](auto& tar) { tar.file("top/\x1b[2J", "x"); }),
            {"control character"}},
           {"a long component",
            amid_good([&](auto& tar) { tar.file(long_name, "x"); }),
            {"255 bytes"}},
           {"a path of 5000 bytes",
            amid_good([&](auto& tar) { tar.file(long_path, "x"); }),
            {"1024 bytes"}},
           {"a deep path", amid_good([&](auto& tar) { tar.file(deep, "x"); }), {"1024 bytes"}}}) {
    check_refused(hostile);
  }
}

TEST_CASE("links that lead out of the tree, or nowhere, are refused") {
  for (const Hostile& hostile : std::vector<Hostile>{
           {"absolute",
            amid_good([](auto& tar) { tar.symlink("top/l", "/etc/passwd"); }),
            {"`top/l`", "absolute"}},
           {"out",
            amid_good([](auto& tar) { tar.symlink("top/l", "../../canary/precious"); }),
            {"`top/l`", "leads out"}},
           {"out and in again",
            amid_good([](auto& tar) { tar.symlink("top/l", "../../into/x"); }),
            {"`top/l`", "leads out"}},
           {"a name that no file can have",
            amid_good([](auto& tar) { tar.symlink("top/l", "x/" + std::string(256, 'n')); }),
            {"`top/l`", "255 bytes"}},
           {"out at the top",
            amid_good([](auto& tar) { tar.symlink("l", ".."); }),
            {"`l`", "leads out"}},
           {"out behind a name",
            amid_good([](auto& tar) { tar.symlink("l", "top/../../x"); }),
            {"`l`", "leads out"}},
           {"out through another link",
            amid_good([](auto& tar) { tar.symlink("here", ".").symlink("l", "here/.."); }),
            {"`l`"}},
           {"out through another link that comes later",
            amid_good([](auto& tar) {
              tar.symlink("l", "top/deep/../..").folder("top").symlink("top/deep", "..");
            }),
            {"`l`"}},
           {"no target", amid_good([](auto& tar) { tar.symlink("top/l", ""); }), {"`top/l`"}},
           {"a control character",
            amid_good([](auto& tar) { tar.symlink("top/l", "before\r"); }),
            {"`top/l`", "control character"}},
           {"a target of 5000 bytes",
            amid_good([](auto& tar) { tar.symlink("top/l", std::string(5000, 't')); }),
            {"`top/l`", "1024"}},
           {"itself", amid_good([](auto& tar) { tar.symlink("top/l", "l"); }), {"`top/l`", "loop"}},
           {"a loop of two",
            amid_good([](auto& tar) { tar.symlink("top/a", "b").symlink("top/b", "a"); }),
            {"loop"}},
           {"a loop through a folder link",
            amid_good([](auto& tar) { tar.symlink("top/a", "b/x").symlink("top/b", "a"); }),
            {"loop"}},
           {"a chain that doubles",
            amid_good([](auto& tar) {
              tar.symlink("l0", "x");
              for (int n = 1; n < 60; ++n) {
                tar.symlink(fmt::format("l{}", n), fmt::format("l{}/l{}", n - 1, n - 1));
              }
            }),
            {"loop"}},
           {"a chain that grows",
            amid_good([](auto& tar) {
              std::string far;
              while (far.size() < 1000) far += "/n";
              tar.symlink("l0", "x" + far);
              for (int n = 1; n < 5; ++n)
                tar.symlink(fmt::format("l{}", n), fmt::format("l{}", n - 1) + far);
            }),
            {"`l4`", "4096"}}}) {
    check_refused(hostile);
  }
}

TEST_CASE("many links through one long chain are judged in a moment") {
  // Followed one by one they would take minutes.
  TarBuilder tar;
  std::string far = "end";
  while (far.size() < 1000) far += "/n";
  tar.symlink("chain00", far);
  for (int n = 1; n < 39; ++n) {
    tar.symlink(fmt::format("chain{:02}", n), fmt::format("chain{:02}", n - 1));
  }
  for (int n = 0; n < 4000; ++n) tar.symlink(fmt::format("many{}", n), "chain38");
  const Sandbox sandbox;
  sandbox.put(xz_packed(tar.bytes()));
  const std::clock_t begin = std::clock();  // of this process: a busy machine does not count
  CHECK(archive::unpack(sandbox.request(), NoInterrupt()).size() == 4039);
  CHECK(std::clock() - begin < 10 * CLOCKS_PER_SEC);
}

TEST_CASE("nothing is written through a link, and no entry takes another's place") {
  for (const Hostile& hostile : std::vector<Hostile>{
           {"file below a link",
            amid_good([](auto& tar) { tar.symlink("top/l", ".").file("top/l/x", "x"); }),
            {"`top/l/x`", "through a link"}},
           {"file below a link out of the tree",
            amid_good(
                [](auto& tar) { tar.symlink("top/l", "../../canary").file("top/l/evil", "x"); }),
            {"top/l"}},
           {"folder below a link",
            amid_good([](auto& tar) { tar.symlink("top/l", "before").folder("top/l/x"); }),
            {"`top/l/x`", "through a link"}},
           {"link below a link",
            amid_good([](auto& tar) { tar.symlink("top/l", ".").symlink("top/l/m", "before"); }),
            {"`top/l/m`", "through a link"}},
           {"link in the place of a folder",
            amid_good([](auto& tar) { tar.file("top/d/x", "x").symlink("top/d", ".."); }),
            {"`top/d`", "in the place"}},
           {"file over a link",
            amid_good([](auto& tar) { tar.symlink("top/l", "before").file("top/l", "x"); }),
            {"`top/l`", "in the place"}},
           {"link over a file",
            amid_good([](auto& tar) { tar.symlink("top/before", "after"); }),
            {"`top/before`", "in the place"}},
           {"link over another link",
            amid_good([](auto& tar) { tar.symlink("top/l", "before").symlink("top/l", "after"); }),
            {"`top/l`", "in the place"}},
           {"file over a folder",
            amid_good([](auto& tar) { tar.folder("top/d").file("top/d", "x"); }),
            {"`top/d`", "in the place"}},
           {"folder over a file",
            amid_good([](auto& tar) { tar.folder("top/before"); }),
            {"`top/before`", "in the place"}},
           {"file below a file",
            amid_good([](auto& tar) { tar.file("top/before/x", "x"); }),
            {"`top/before/x`", "below a file"}},
           {"file below a file, with folders between",
            amid_good([](auto& tar) { tar.file("top/before/d/x", "x"); }),
            {"below a file"}},
           {"a file twice, different",
            amid_good([](auto& tar) { tar.file("top/before", "BEFORE"); }),
            {"`top/before`", "twice"}}}) {
    check_refused(hostile);
  }
}

TEST_CASE("hard links lead to earlier files of the archive or are refused") {
  for (const Hostile& hostile : std::vector<Hostile>{
           {"absolute",
            amid_good([](auto& tar) { tar.hard_link("top/h", "/etc/passwd"); }),
            {"`/etc/passwd`", "absolute"}},
           {"out",
            amid_good([](auto& tar) { tar.hard_link("top/h", "../canary/precious"); }),
            {"`../canary/precious`"}},
           {"to what is not there",
            amid_good([](auto& tar) { tar.hard_link("top/h", "top/no"); }),
            {"`top/h`", "`top/no`"}},
           {"to what comes later",
            amid_good([](auto& tar) { tar.hard_link("top/h", "top/after"); }),
            {"`top/h`", "`top/after`"}},
           {"to a folder",
            amid_good([](auto& tar) { tar.hard_link("top/h", "top"); }),
            {"`top/h`", "`top`"}},
           {"to itself",
            amid_good([](auto& tar) { tar.hard_link("top/h", "top/h"); }),
            {"`top/h`"}},
           {"to a link out of the tree",
            amid_good(
                [](auto& tar) { tar.symlink("top/a/l", "../../x").hard_link("l", "top/a/l"); }),
            {"`l`", "leads out"}},
           {"over another file",
            amid_good([](auto& tar) { tar.file("top/x", "x").hard_link("top/x", "top/before"); }),
            {"`top/x`", "twice"}}}) {
    check_refused(hostile);
  }
}

TEST_CASE("devices, fifos and special modes are refused") {
  for (const Hostile& hostile :
       std::vector<Hostile>{{"character device",
                             amid_good([](auto& tar) {
                               tar.entry({"top/d", '3'});
                             }),
                             {"`top/d`", "device"}},
                            {"block device",
                             amid_good([](auto& tar) {
                               tar.entry({"top/d", '4'});
                             }),
                             {"`top/d`", "device"}},
                            {"fifo",
                             amid_good([](auto& tar) {
                               tar.entry({"top/f", '6'});
                             }),
                             {"`top/f`", "fifo"}},
                            {"setuid",
                             amid_good([](auto& tar) { tar.file("top/s", "x", 04755); }),
                             {"`top/s`", "setuid"}},
                            {"setgid",
                             amid_good([](auto& tar) { tar.file("top/s", "x", 02755); }),
                             {"`top/s`", "setgid"}}}) {
    check_refused(hostile);
  }
}
