#include "sys/scratch.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/temp_dir.hpp"

using namespace cudaenv;
namespace fs = std::filesystem;

TEST_CASE("a scratch folder is nobody else's, and goes with all that is in it") {
  const test::TempDir parent;
  fs::path path;
  {
    const sys::ScratchFolder one(parent.path());
    const sys::ScratchFolder other(parent.path());
    path = one.path();
    CHECK(path != other.path());
    CHECK(fs::status(path).permissions() == fs::perms::owner_all);
    fs::create_directory(path / "deep");
    std::ofstream(path / "deep/file") << "x";
    CHECK(parent.entries().size() == 2);
  }
  CHECK(parent.entries().empty());
}

TEST_CASE("a scratch folder where none can be made is an error with its name") {
  const test::TempDir parent;
  CHECK_THROWS_AS(sys::ScratchFolder(parent / "none"), Error);
}
