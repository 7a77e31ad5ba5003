#include "store/file_list.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "unit/store/sample.hpp"

using namespace cudaenv;
using cudaenv::store::ListedFile;
using cudaenv::store::read_file_list;
using cudaenv::store::write_file_list;

namespace {

ListedFile file(const std::string& path, const std::string& content = "") {
  return {.kind = ListedFile::Kind::file,
          .path = path,
          .mode = 0644,
          .size = content.size(),
          .sha256 = test::digest_of(content),
          .target = "",
          .component = "cuda_nvcc"};
}

ListedFile symlink_to(const std::string& path, const std::string& target) {
  return {.kind = ListedFile::Kind::symlink,
          .path = path,
          .sha256 = {},
          .target = target,
          .component = ""};
}

const std::string sha(64, 'a');

// A list of one line, or several with their newlines between.
std::string list_of(const std::string& lines, int count = 1) {
  return "cudaenv-files\t1\t" + std::to_string(count) + "\n" + lines + "\n";
}

std::string refusal(const std::string& text) {
  const Error error = test::error_of([&] { read_file_list(text, "/s/files.tsv"); });
  CHECK(error.kind() == ErrorKind::corrupt);
  CHECK(error.message() == "the file list `/s/files.tsv` is damaged");
  REQUIRE(error.causes().size() == 1);
  return error.causes()[0];
}

}  // namespace

TEST_CASE("a list is one line a file, sorted by path") {
  ListedFile nvcc = file("bin/nvcc", "x");
  nvcc.mode = 0755;
  nvcc.sha256 = Digest::from_hex(sha);
  ListedFile unhashed = file("a.txt", "123");
  unhashed.sha256.reset();
  unhashed.component.clear();
  CHECK(write_file_list({nvcc, symlink_to("lib64", "lib"), unhashed}) ==
        "cudaenv-files\t1\t3\n"
        "f\t0644\t3\t\t\ta.txt\n"
        "f\t0755\t1\t" +
            sha +
            "\tcuda_nvcc\tbin/nvcc\n"
            "l\t\t\t\t\tlib64\tlib\n");
}

TEST_CASE("an empty list is a list") {
  CHECK(write_file_list({}) == "cudaenv-files\t1\t0\n");
  CHECK(read_file_list(write_file_list({}), "x").empty());
}

TEST_CASE("whatever bytes a path has, it comes back") {
  std::string every;
  for (int byte = 1; byte < 256; ++byte) {
    if (byte != '/') every += static_cast<char>(byte);
  }
  std::vector<ListedFile> files{file("tab\there"),
                                file("newline\n"),
                                file("\r"),
                                file("cr\r\n"),
                                file("back\\slash\\"),
                                file("\\t"),
                                file("\\\t\\n"),
                                file(" blank "),
                                file("\xFF\xFE/\x80"),
                                file("\xC3\xA4"),
                                file("a/b/c"),
                                file("a-b"),
                                file("..."),
                                file(".hidden"),
                                file("a..b/..c"),
                                symlink_to("l\t", "t\n\\\r"),
                                symlink_to("up", "../../x"),
                                symlink_to("abs", "/etc"),
                                file(every),
                                symlink_to(every + "l", every)};
  files[3].component = "odd\tcomponent\\";
  files[4].size = 18446744073709551615u;
  const auto read = read_file_list(write_file_list(files), "x");
  std::sort(files.begin(), files.end(),
            [](const auto& one, const auto& other) { return one.path < other.path; });
  CHECK(read == files);
  CHECK(write_file_list(read) == write_file_list(files));
}

TEST_CASE("a list that somebody has re-sorted is read sorted") {
  const auto read = read_file_list(list_of("f\t644\t1\t\t\tb\nf\t644\t1\t\t\ta", 2), "x");
  REQUIRE(read.size() == 2);
  CHECK(read[0].path == "a");
}

TEST_CASE("paths that leave the tree are refused, with their line") {
  for (const char* path : {"/etc/passwd", "/"}) {
    CHECK(refusal(list_of("f\t644\t1\t\t\t" + std::string(path))) ==
          "line 2: its path is absolute");
  }
  for (const char* path : {"", ".", "..", "../x", "a/../b", "a/..", "a//b", "a/", "./a", "a/./b"}) {
    CAPTURE(path);
    CHECK(refusal(list_of("f\t644\t1\t\t\tok\nf\t644\t1\t\t\t" + std::string(path), 2)) ==
          "line 3: its path is empty or has an empty, `.` or `..` part");
  }
  CHECK(refusal(list_of("f\t644\t1\t\t\ta" + std::string(1, '\0'))) ==
        "line 2: its path holds a zero byte");
}

TEST_CASE("a path that goes through a listed link is refused") {
  CHECK(refusal(list_of("l\t\t\t\t\ta\t/etc\nf\t644\t1\t\t\ta/passwd", 2)) ==
        "`a/passwd` lies below a link");
  CHECK(refusal(list_of("l\t\t\t\t\tx/a\t..\nf\t644\t1\t\t\tx/a/b/c\nf\t644\t1\t\t\tx/a-b", 3)) ==
        "`x/a/b/c` lies below a link");
  CHECK_NOTHROW(read_file_list(list_of("l\t\t\t\t\ta\tb\nf\t644\t1\t\t\tab/c", 2), "x"));
}

TEST_CASE("a path that is listed twice is refused") {
  CHECK(refusal(list_of("f\t644\t1\t\t\ta\nf\t644\t1\t\t\tb\nl\t\t\t\t\ta\tb", 3)) ==
        "`a` is listed twice");
}

TEST_CASE("lines of another shape are refused") {
  const auto line = [](const std::string& text) { return refusal(list_of(text)); };
  CHECK(line("") == "line 2: its path is empty or has an empty, `.` or `..` part");
  CHECK(line("x\t644\t1\t\t\ta") == "line 2: it is neither a file nor a link");
  CHECK(line("f\t644\t1\t\t\ta\tb") == "line 2: it is neither a file nor a link");
  CHECK(line("l\t\t\t\t\ta") == "line 2: it is neither a file nor a link");
  CHECK(line("l\t\t\t\t\ta\t") == "line 2: a link leads nowhere");
  CHECK(line("l\t644\t\t\t\ta\tb") == "line 2: a link has neither mode nor size nor checksum");
  CHECK(line("f\t644\t1\t\t\ta\tb\tc") == "line 2: it has too many fields");
  CHECK(line("f\t999\t1\t\t\ta") == "line 2: its mode is not valid");
  CHECK(line("f\t4755\t1\t\t\ta") == "line 2: its mode is not valid");
  CHECK(line("f\t\t1\t\t\ta") == "line 2: its mode is not valid");
  CHECK(line("f\t644\t-1\t\t\ta") == "line 2: its size is not a number");
  CHECK(line("f\t644\t1\tabc\t\ta") == "line 2: its checksum is not 64 hexadecimal digits");
  CHECK(line("f\t644\t1\t\t\ta\\x") ==
        "line 2: a backslash stands before something else than t, n, r, \\");
  CHECK(line("f\t644\t1\t\t\ta\\") ==
        "line 2: a backslash stands before something else than t, n, r, \\");
}

TEST_CASE("a list that is not one, or of another format, is refused") {
  CHECK(refusal("") == "it is empty");
  CHECK(refusal("\n") == "line 1: it is not a file list");
  CHECK(refusal("f\t644\t1\t\t\ta\n") == "line 1: it is not a file list");
  CHECK(refusal("cudaenv-files\t2\t0\n") == "line 1: it was written by a newer cudaenv");
  CHECK(refusal("cudaenv-files\t1\tx\n") == "line 1: its count is not a number");
  CHECK(refusal("cudaenv-files\t1\t18446744073709551615\n") ==
        "it should list 18446744073709551615 files, but lists 0");
}

TEST_CASE("a list that is cut off anywhere is refused, also at the end of a line") {
  const std::string text =
      write_file_list({file("a/b", "1"), file("a/c", "2"), symlink_to("d", "a/b")});
  for (std::size_t length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS(read_file_list(text.substr(0, length), "x"), Error);
  }
  CHECK_THROWS_AS(read_file_list(text + text.substr(text.find('\n') + 1), "x"), Error);
}

TEST_CASE("a list changed at random is refused or read, and never anything else") {
  std::vector<ListedFile> files;
  for (int i = 0; i < 20; ++i)
    files.push_back(file("d" + std::to_string(i % 4) + "/" + std::to_string(i)));
  files.push_back(symlink_to("lib64", "lib"));
  const std::string text = write_file_list(files);
  std::mt19937 random(11302026);
  const auto below = [&](std::size_t limit) {
    return limit == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  for (int round = 0; round < 5000; ++round) {
    std::string changed = text;
    for (std::size_t changes = 1 + below(3); changes > 0 && !changed.empty(); --changes) {
      const std::size_t at = below(changed.size());
      switch (below(4)) {
        case 0:
          changed[at] = static_cast<char>(below(256));
          break;
        case 1:
          changed.erase(at, 1 + below(10));
          break;
        case 2:
          changed[at] = "\t\n\\/.lf0"[below(8)];
          break;
        default:
          changed.insert(at, changed.substr(below(changed.size()), 1 + below(30)));
      }
    }
    try {
      for (const auto& entry : read_file_list(changed, "x")) {
        CHECK_FALSE(entry.path.starts_with('/'));
        CHECK(("/" + entry.path + "/").find("/../") == std::string::npos);
        CHECK(entry.mode <= 0777);
      }
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::corrupt);
    }
  }
}
