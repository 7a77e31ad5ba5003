#include "install/pip.hpp"

#include <fstream>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/error_text.hpp"
#include "support/temp_dir.hpp"

using namespace cudaenv;
using test::error_text;
using test::TempDir;

namespace {

// A pip that answers as a script says; the surroundings to find it in.
struct FakePip {
  explicit FakePip(const std::string& script) {
    const auto file = folder.make_file("pip", "#!/bin/sh\n" + script);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    environment = sys::Environment({{"CUDAENV_PIP", file.string()},
                                    {"PATH", "/usr/bin:/bin"},
                                    {"HOME", folder.path().string()}});
  }
  install::Context context() { return {environment, interrupt, progress, {}, folder / "cache"}; }

  TempDir folder;
  sys::Environment environment;
  NoInterrupt interrupt;
  Progress progress;
};

const char* const modern =
    "if [ \"$1\" = --version ]; then echo 'pip 23.0.1 from /x (python 3.11)'; exit; fi\n";
const Platform linux_x86 = *Platform::parse("linux-x86_64");

}  // namespace

TEST_CASE("a missing pip is said, with the way out") {
  const TempDir folder;
  const sys::Environment environment({{"CUDAENV_PIP", (folder / "none").string()}});
  const NoInterrupt interrupt;
  Progress progress;
  const install::Context context{environment, interrupt, progress, {}, folder / "cache"};
  const auto what = error_text([&] { install::Pip::find(context); });
  CHECK(what.find("no pip that serves was found") != std::string::npos);
  CHECK(what.find("python3-pip") != std::string::npos);
  CHECK(what.find("wheels:DIR") != std::string::npos);
}

TEST_CASE("a pip that is too old is told by its version") {
  FakePip pip("echo 'pip 22.0.2 from /x (python 3.10)'\n");
  const auto what = error_text([&] { install::Pip::find(pip.context()); });
  CHECK(what.find("is pip 22.0.2, which is older than 22.2") != std::string::npos);
}

TEST_CASE("a pip that does not work is told by its own words") {
  FakePip pip("echo 'No module named pip' >&2; exit 1\n");
  const auto what = error_text([&] { install::Pip::find(pip.context()); });
  CHECK(what.find("does not work: No module named pip") != std::string::npos);
}

TEST_CASE("an index without a matching wheel is an answer, not a failure") {
  FakePip pip(std::string(modern) +
              "echo 'ERROR: No matching distribution found for cuda-toolkit==9.9.*' >&2; exit 1\n");
  const auto context = pip.context();
  CHECK_FALSE(install::Pip::find(context).resolve({"cuda-toolkit==9.9.*"}, linux_x86, true));
}

TEST_CASE("an index that cannot be reached is a failure, though pip ends it with the same words") {
  FakePip pip(
      std::string(modern) +
      "echo \"WARNING: ... NewConnectionError('Failed to establish a new connection')\" >&2\n"
      "echo 'ERROR: No matching distribution found for cuda-toolkit' >&2; exit 1\n");
  const auto context = pip.context();
  const auto what =
      error_text([&] { install::Pip::find(context).resolve({"cuda-toolkit"}, linux_x86, true); });
  CHECK(what.find("pip could not resolve NVIDIA's wheels") != std::string::npos);
}

TEST_CASE("a password in pip's words never reaches ours") {
  FakePip pip(std::string(modern) +
              "echo 'ERROR: HTTP error 403 while getting "
              "https://user:s3cret@index.example/simple/x/' >&2; exit 1\n");
  const auto context = pip.context();
  const auto what =
      error_text([&] { install::Pip::find(context).resolve({"x"}, linux_x86, false); });
  CHECK(what.find("https://index.example/simple/x/") != std::string::npos);
  CHECK(what.find("s3cret") == std::string::npos);
}

TEST_CASE("credentials of a configured index are found for files of the same host only") {
  FakePip pip(std::string(modern) +
              "echo \"global.index-url='https://me:pw@index.example/simple'\"\n");
  const auto context = pip.context();
  const auto found = install::Pip::find(context);
  CHECK(found.credentials_for("https://index.example/files/a.whl") == "me:pw");
  CHECK_FALSE(found.credentials_for("https://other.example/files/a.whl"));
}

TEST_CASE("a platform that has no wheels is an answer") {
  FakePip pip(modern);
  const auto context = pip.context();
  CHECK_FALSE(install::Pip::find(context).resolve({"x"}, *Platform::parse("linux-ppc64le"), true));
}
