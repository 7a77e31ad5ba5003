#include "store/file_check.hpp"

#include <doctest/doctest.h>

#include "support/temp_dir.hpp"
#include "sys/sha256.hpp"

using namespace cudaenv;
using store::Difference;
using store::ListedFile;

TEST_CASE("a file differs by absence, bytes, size, kind, target or mode") {
  const test::TempDir folder;
  const NoInterrupt interrupt;
  const auto path = folder.make_file("a", "bytes");
  std::filesystem::permissions(path, static_cast<std::filesystem::perms>(0644));
  std::filesystem::create_symlink("a", folder / "link");
  const ListedFile file{ListedFile::Kind::file, "a", 0644, 5, sys::sha256("bytes"), "", ""};
  const ListedFile link{ListedFile::Kind::symlink, "link", 0777, 0, {}, "a", ""};
  const auto compared = [&](ListedFile listed) {
    return store::difference(folder.path(), listed, interrupt);
  };
  CHECK_FALSE(compared(file));
  CHECK_FALSE(compared(link));

  ListedFile other = file;
  other.path = "none";
  CHECK(compared(other) == Difference::missing);
  other = file;
  other.sha256 = sys::sha256("BYTES");
  CHECK(compared(other) == Difference::changed);
  other = file;
  other.size = 6;
  CHECK(compared(other) == Difference::changed);
  other = file;
  other.path = "link";
  CHECK(compared(other) == Difference::changed);
  other = file;
  other.mode = 0755;
  CHECK(compared(other) == Difference::mode);
  other = link;
  other.target = "b";
  CHECK(compared(other) == Difference::changed);
}

TEST_CASE("files that no list names are found, but for cudaenv's own") {
  const test::TempDir folder;
  folder.make_file("lib/listed", "");
  folder.make_file("lib/mine", "");
  folder.make_file(".cudaenv/receipt.json", "");
  folder.make_file(".cudaenv2", "");
  const ListedFile listed{ListedFile::Kind::file, "lib/listed", 0644, 0, {}, "", ""};
  CHECK(store::unlisted_files(folder.path(), {listed}) ==
        std::vector<std::string>{".cudaenv2", "lib/mine"});
}
