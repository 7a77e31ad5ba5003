// The block in a start-up file: what is not ours stays, byte for byte.
#include "commands/startup_file.hpp"

#include <random>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "support/error_text.hpp"
#include "support/test_host.hpp"
#include "sys/file.hpp"

using namespace cudaenv;
using activate::Shell;
using commands::add_to_startup;
using commands::remove_from_startup;
using commands::with_block;
using commands::without_block;
using test::error_text;
using test::TestHost;

namespace fs = std::filesystem;

namespace {

fs::path home(const TestHost& host) { return host.host().environment.home(); }

}  // namespace

TEST_CASE("a start-up file gets the block at its end, once") {
  const std::string once = with_block("alias ll='ls -l'\n", "LINE", false);
  CHECK(once == "alias ll='ls -l'\n# >>> cudaenv >>>\nLINE\n# <<< cudaenv <<<\n");
  CHECK(with_block(once, "LINE", false) == once);
  CHECK(with_block(once + "more\n", "OTHER", false) ==
        "alias ll='ls -l'\n# >>> cudaenv >>>\nOTHER\n# <<< cudaenv <<<\nmore\n");
}

TEST_CASE("what was in a start-up file before is there again afterwards, whatever bytes it has") {
  std::mt19937 random(7);
  const std::string bytes("ab\n\n\r#\0\xFF >cudaenv", 18);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    const auto size = random() % 12;
    for (unsigned i = 0; i < size; ++i) text += bytes[random() % bytes.size()];
    std::string with = with_block(text, "first", false);
    if (random() % 2 == 0) with = with_block(with, "second", false);
    CHECK(without_block(with, "f").text == text);
    // What somebody wrote behind the block stays on a line of its own.
    const bool ended = text.empty() || text.back() == '\n';
    CHECK(without_block(with + "after", "f").text == text + (ended ? "" : "\n") + "after");
  }
}

TEST_CASE("a block whose end is missing is left to the user") {
  const auto report = error_text(
      [] { static_cast<void>(without_block("x\n# >>> cudaenv >>>\nmine\n", "/h/.bashrc")); });
  CHECK(report.find("cannot change `/h/.bashrc`") != std::string::npos);
}

TEST_CASE("a start-up file keeps its permissions, and a link stays one") {
  const TestHost host;
  const fs::path dotfiles = host.folder().make_dir("dotfiles");
  const fs::path file = host.folder().make_file("dotfiles/bashrc", "echo hello");
  ::chmod(file.c_str(), 0600);
  fs::create_directories(home(host));
  fs::create_symlink(file, home(host) / ".bashrc");

  CHECK(add_to_startup(Shell::bash, "LINE", host.host()).changed);
  CHECK_FALSE(add_to_startup(Shell::bash, "LINE", host.host()).changed);
  CHECK(fs::is_symlink(home(host) / ".bashrc"));
  CHECK(sys::stat_link(file)->mode == 0600);
  CHECK(sys::read_file(file).find("LINE") != std::string::npos);

  CHECK(remove_from_startup(Shell::bash, host.host()).changed);
  CHECK_FALSE(remove_from_startup(Shell::bash, host.host()).changed);
  CHECK(sys::read_file(file) == "echo hello");
  CHECK(sys::stat_link(file)->mode == 0600);
  CHECK(fs::is_symlink(home(host) / ".bashrc"));
}

TEST_CASE("a start-up file that was not there is made, and goes again") {
  const TestHost host;
  fs::create_directories(home(host));
  for (const Shell shell :
       {Shell::bash, Shell::zsh, Shell::fish, Shell::csh, Shell::elvish, Shell::powershell}) {
    const auto result = add_to_startup(shell, "LINE", host.host());
    CHECK(fs::is_regular_file(result.file));
    CHECK(sys::stat_link(result.file)->mode == 0644);
    remove_from_startup(shell, host.host());
    CHECK_FALSE(fs::exists(result.file));
  }
}

TEST_CASE("tcsh's file is the one that it reads") {
  const TestHost host;
  fs::create_directories(home(host));
  CHECK(commands::startup_file(Shell::csh, host.host()).filename() == ".tcshrc");
  sys::write_atomically(home(host) / ".cshrc", "");
  CHECK(commands::startup_file(Shell::csh, host.host()).filename() == ".cshrc");
  sys::write_atomically(home(host) / ".tcshrc", "");
  CHECK(commands::startup_file(Shell::csh, host.host()).filename() == ".tcshrc");
}

TEST_CASE("another user's start-up file is not replaced by one of ours") {
  if (::geteuid() != 0) return;
  const TestHost host;
  fs::create_directories(home(host));
  sys::write_atomically(home(host) / ".bashrc", "theirs\n");
  REQUIRE(::chown((home(host) / ".bashrc").c_str(), 12345, 12345) == 0);
  const auto report = error_text([&] { add_to_startup(Shell::bash, "LINE", host.host()); });
  CHECK(report.find("belongs to another user") != std::string::npos);
  CHECK(sys::read_file(home(host) / ".bashrc") == "theirs\n");
}
