#include "sys/lock.hpp"

#include <chrono>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/temp_dir.hpp"
#include "sys/file.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;
using cudaenv::test::Child;
using cudaenv::test::Gate;
using cudaenv::test::TempDir;
using sys::FileLock;
using sys::LockWait;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

LockWait patience(std::chrono::milliseconds time) { return {time, nullptr, {}}; }

// A process that holds a lock until it is killed or told.
struct Holder {
  Gate held;
  Gate done;
  Child child;
  Holder(const fs::path& file, bool is_shared)
      : child([&] {
          const auto lock = is_shared ? FileLock::shared(file, "the root", patience(5s))
                                      : FileLock::exclusive(file, "installing 12.1", patience(5s));
          held.open();
          done.pass();
          return 0;
        }) {
    held.pass();
  }
};

class AskedAfter final : public Interrupt {
 public:
  int requested() const noexcept override { return ++polls_ > 2 ? 2 : 0; }

 private:
  mutable int polls_ = 0;
};

}  // namespace

TEST_CASE("a lock of one process keeps another out until it ends") {
  const TempDir dir;
  const fs::path file = dir / "state/lock";
  Holder holder(file, false);
  CHECK_FALSE(FileLock::try_exclusive(file, "test"));
  holder.done.open();
  CHECK(holder.child.wait() == 0);
  CHECK(FileLock::try_exclusive(file, "test"));
  CHECK(sys::exists(file));
}

TEST_CASE("a lock ends with a process that is killed") {
  const TempDir dir;
  Holder holder(dir / "lock", false);
  holder.child.send(SIGKILL);
  CHECK(holder.child.wait() == 128 + SIGKILL);
  CHECK(FileLock::try_exclusive(dir / "lock", "test"));
}

TEST_CASE("two locks in one process exclude each other too, and a lock can be moved") {
  const TempDir dir;
  auto first = FileLock::try_exclusive(dir / "lock", "test");
  REQUIRE(first);
  CHECK_FALSE(FileLock::try_exclusive(dir / "lock", "test"));
  FileLock moved = std::move(*first);
  first.reset();
  CHECK_FALSE(FileLock::try_exclusive(dir / "lock", "test"));
}

TEST_CASE("shared locks share, and keep an exclusive one out") {
  const TempDir dir;
  Holder holder(dir / "lock", true);
  CHECK_NOTHROW(FileLock::shared(dir / "lock", "test", patience(0s)));
  CHECK_FALSE(FileLock::try_exclusive(dir / "lock", "test"));
}

TEST_CASE("whoever gives up is told what, by whom, where, and how to wait longer") {
  const TempDir dir;
  Holder holder(dir / "lock", false);
  try {
    FileLock::exclusive(dir / "lock", "the root", patience(20ms));
    FAIL("it did not throw");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::busy);
    CHECK(error.message() == "the root is held by process " + std::to_string(holder.child.pid()) +
                                 " (installing 12.1)");
    REQUIRE(error.causes().size() == 1);
    CHECK(error.causes()[0] == "waited 0 s for the lock `" + (dir / "lock").string() + "`");
    REQUIRE(error.advice().size() == 1);
    CHECK(error.advice()[0].find("CUDAENV_LOCK_TIMEOUT") != std::string::npos);
  }
}

TEST_CASE("whoever waits says so once, and gets the lock when it is free") {
  const TempDir dir;
  Holder holder(dir / "lock", false);
  std::vector<std::string> lines;
  LockWait wait = patience(5s);
  wait.on_wait = [&](std::string_view line) {
    lines.emplace_back(line);
    holder.done.open();
  };
  FileLock::exclusive(dir / "lock", "the root", wait);
  CHECK(lines ==
        std::vector<std::string>{"waiting for process " + std::to_string(holder.child.pid()) +
                                 " (installing 12.1), which holds the root"});
}

TEST_CASE("nothing is said where nobody has to wait") {
  const TempDir dir;
  LockWait wait = patience(1s);
  wait.on_wait = [](std::string_view) { FAIL("it waited"); };
  FileLock::exclusive(dir / "lock", "the root", wait);
}

TEST_CASE("waiting for a lock ends when the user interrupts") {
  const TempDir dir;
  Holder holder(dir / "lock", false);
  const AskedAfter interrupt;
  LockWait wait = patience(1h);
  wait.interrupt = &interrupt;
  CHECK_THROWS_AS(FileLock::exclusive(dir / "lock", "the root", wait), Interrupted);
}

TEST_CASE("a lock file is open to every user, whatever the umask, and its holder is shown safely") {
  const TempDir dir;
  fs::permissions(dir.path(), fs::perms(0755));
  const mode_t former = ::umask(077);
  { const auto lock = FileLock::try_exclusive(dir / "lock", "test"); }
  ::umask(former);
  CHECK(sys::stat_link(dir / "lock")->mode == 0666);
  const auto as_other_user = [&] {
    if (test::is_root() && !test::become_nobody()) return 98;
    return FileLock::try_exclusive(dir / "lock", "test") ? 0 : 1;
  };
  CHECK(test::in_child(as_other_user) == 0);
}

TEST_CASE("a lock file that may only be read can still be locked") {
  const TempDir dir;
  fs::permissions(dir.path(), fs::perms(0755));
  dir.make_file("lock", "1 somebody\n");
  fs::permissions(dir / "lock", fs::perms(0644));
  const auto as_other_user = [&] {
    if (test::is_root() && !test::become_nobody()) return 98;
    return FileLock::try_exclusive(dir / "lock", "test") ? 0 : 1;
  };
  CHECK(test::in_child(as_other_user) == 0);
}

TEST_CASE("a lock file's content from elsewhere is no danger") {
  const TempDir dir;
  Holder holder(dir / "lock", false);
  dir.make_file("lock", "\x1b[2J evil\x07");
  try {
    FileLock::exclusive(dir / "lock", "the root", patience(0s));
    FAIL("it did not throw");
  } catch (const Error& error) {
    CHECK(error.message() == "the root is held by process \\x1B[2J (evil\\x07)");
  }
  dir.make_file("lock", "");
  try {
    FileLock::exclusive(dir / "lock", "the root", patience(0s));
    FAIL("it did not throw");
  } catch (const Error& error) {
    CHECK(error.message() == "the root is held by another process");
  }
}

TEST_CASE("a link in the lock's place is not followed") {
  const TempDir dir;
  dir.make_file("precious", "precious");
  fs::create_symlink("precious", dir / "lock");
  CHECK_THROWS_AS(FileLock::try_exclusive(dir / "lock", "test"), Error);
  CHECK(dir.read("precious") == "precious");
}
