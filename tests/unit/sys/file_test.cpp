#include "sys/file.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/temp_dir.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;
using cudaenv::test::TempDir;
namespace fs = std::filesystem;

namespace {

unsigned mode_of(const fs::path& path) { return sys::stat_link(path)->mode; }

std::string message_of(int code) {
  try {
    sys::fail(code, "write", "/x/y");
  } catch (const Error& error) {
    std::string text = error.message();
    for (const auto& advice : error.advice()) text += "; " + advice;
    return text;
  }
}

class Umask {
 public:
  explicit Umask(mode_t mask) : former_(::umask(mask)) {}
  ~Umask() { ::umask(former_); }

 private:
  mode_t former_;
};

template <typename Step>
Error error_of(Step&& step) {
  try {
    step();
  } catch (const Error& error) {
    return error;
  }
  throw std::runtime_error("no error was thrown");
}

}  // namespace

TEST_CASE("a full disk, a read-only filesystem and a missing permission have their own advice") {
  CHECK(message_of(ENOENT) == "cannot write `/x/y`: no such file or directory");
  CHECK(message_of(ENOSPC) ==
        "cannot write `/x/y`: no space left on device; free some space, or name another root with "
        "CUDAENV_ROOT");
  CHECK(message_of(EDQUOT) ==
        "cannot write `/x/y`: disk quota exceeded; free some of your quota, or name another root "
        "with CUDAENV_ROOT");
  CHECK(message_of(EROFS) ==
        "cannot write `/x/y`: read-only file system; name a root that can be written with "
        "CUDAENV_ROOT");
  CHECK(message_of(EACCES) ==
        "cannot write `/x/y`: permission denied; run it with sudo, or name a root of your own "
        "with CUDAENV_ROOT");
}

TEST_CASE("what cannot be read is not mended by another root") {
  for (const char* doing : {"open", "read", "read the folder", "look at"}) {
    const Error error = error_of([&] { sys::fail(EACCES, doing, "/x"); });
    REQUIRE(error.advice().size() == 1);
    CHECK(error.advice()[0] == "run it with sudo, or make it readable for this user");
  }
}

TEST_CASE("a path in a message cannot move the cursor") {
  const Error error = error_of([] { sys::read_file("/no\x1b[2J\nsuch"); });
  CHECK(error.message() == "cannot open `/no\\x1B[2J\\nsuch`: no such file or directory");
}

TEST_CASE("stat tells a link from what it leads to") {
  const TempDir dir;
  dir.make_file("file", "12345");
  fs::create_symlink("file", dir / "link");
  fs::create_symlink("nowhere", dir / "dangling");
  fs::create_symlink("loop", dir / "loop");

  const auto file = sys::stat_link(dir / "file");
  REQUIRE(file);
  CHECK(file->kind == sys::Kind::regular);
  CHECK(file->size == 5);
  CHECK(file->links == 1);
  CHECK(file->owner == ::geteuid());
  CHECK(sys::stat_link(dir / "link")->kind == sys::Kind::symlink);
  CHECK(sys::stat_target(dir / "link")->inode == file->inode);
  CHECK(sys::stat_link(dir / "dangling")->kind == sys::Kind::symlink);
  CHECK_FALSE(sys::stat_target(dir / "dangling"));
  CHECK_FALSE(sys::stat_target(dir / "loop"));
  CHECK_FALSE(sys::stat_link(dir / "missing"));
  CHECK_FALSE(sys::stat_link(dir / "file/below"));
  CHECK(sys::exists(dir / "dangling"));
  CHECK_FALSE(sys::exists(dir / "missing"));
  CHECK(sys::is_directory(dir.path()));
  CHECK_FALSE(sys::is_directory(dir / "link"));
}

TEST_CASE("a file is read whole, up to the limit") {
  const TempDir dir;
  const std::string content = std::string(200'000, 'x') + std::string("\0\xFF", 2);
  dir.make_file("file", content);
  CHECK(sys::read_file(dir / "file") == content);
  CHECK(sys::read_file(dir / "file", content.size()) == content);
  CHECK(error_of([&] { sys::read_file(dir / "file", content.size() - 1); }).kind() ==
        ErrorKind::corrupt);
  CHECK_FALSE(sys::read_if_present(dir / "missing"));
  CHECK_FALSE(sys::read_if_present(dir / "file/below"));
  CHECK(sys::read_if_present(dir / "file") == content);
  CHECK(error_of([&] { sys::read_file(dir / "missing"); }).kind() == ErrorKind::system);
  CHECK_THROWS_AS(sys::read_file(dir.path()), Error);
}

TEST_CASE("what is no regular file is refused at once, never waited for") {
  const TempDir dir;
  REQUIRE(::mkfifo((dir / "pipe").c_str(), 0644) == 0);
  fs::create_symlink("pipe", dir / "link");
  for (const fs::path& path : {dir / "pipe", dir / "link", fs::path("/dev/zero"), dir.path()}) {
    const Error error = error_of([&] { sys::read_if_present(path); });
    CHECK(error.kind() == ErrorKind::corrupt);
    CHECK(error.message() == "`" + path.string() + "` is not a file");
    CHECK_THROWS_AS(sys::read_file(path), Error);
  }
}

TEST_CASE("modes are as asked for, whatever the umask") {
  const TempDir dir;
  const Umask umask(077);
  sys::create_file(dir / "file", 0755);
  sys::write_atomically(dir / "atomic", "x", 0644);
  sys::create_directories(dir / "a/b", 0755);
  sys::create_directory(dir / "one", 0755);
  sys::copy_file(dir / "file", dir / "copy", 0644);
  CHECK(mode_of(dir / "file") == 0755);
  CHECK(mode_of(dir / "atomic") == 0644);
  CHECK(mode_of(dir / "a") == 0755);
  CHECK(mode_of(dir / "a/b") == 0755);
  CHECK(mode_of(dir / "one") == 0755);
  CHECK(mode_of(dir / "copy") == 0644);
  sys::set_mode(dir / "one", 0700);
  CHECK(mode_of(dir / "one") == 0700);
}

TEST_CASE("a created file truncates what is there, but never writes through a link") {
  const TempDir dir;
  dir.make_file("file", "old and long");
  auto fd = sys::create_file(dir / "file");
  sys::write_all(fd.get(), "new", dir / "file");
  CHECK(dir.read("file") == "new");
  dir.make_file("precious", "precious");
  fs::create_symlink("precious", dir / "link");
  CHECK_THROWS_AS(sys::create_file(dir / "link"), Error);
  CHECK(dir.read("precious") == "precious");
}

TEST_CASE("an atomic write replaces the file or the link itself and leaves nothing beside it") {
  const TempDir dir;
  dir.make_file("file", "old");
  dir.make_file("precious", "precious");
  fs::create_symlink("precious", dir / "link");
  sys::write_atomically(dir / "file", "new");
  sys::write_atomically(dir / "link", "new", 0600, false);
  CHECK(dir.read("file") == "new");
  CHECK(dir.read("link") == "new");
  CHECK_FALSE(fs::is_symlink(dir / "link"));
  CHECK(dir.read("precious") == "precious");
  CHECK(dir.entries() == std::set<std::string>{"file", "link", "precious"});
}

TEST_CASE("an atomic write that fails leaves the old file and nothing beside it") {
  const TempDir dir;
  dir.make_file("file", "old");
  dir.make_file("folder/inside", "");
  CHECK_THROWS_AS(sys::write_atomically(dir / "folder", "new"), Error);
  CHECK(dir.entries() == std::set<std::string>{"file", "folder"});

  // In a child: the limit is for good. Writing past it is an error once SIGXFSZ is ignored.
  const int status = test::in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      sys::write_atomically(dir / "file", std::string(10'000, 'x'));
    } catch (const Error& error) {
      return error.message().find("file too large") != std::string::npos ? 0 : 1;
    }
    return 2;
  });
  CHECK(status == 0);
  CHECK(dir.read("file") == "old");
  CHECK(dir.entries() == std::set<std::string>{"file", "folder"});
}

TEST_CASE("missing folders are created, present ones are left as they are") {
  const TempDir dir;
  dir.make_dir("mine");
  fs::permissions(dir / "mine", fs::perms::owner_all);
  fs::create_symlink("mine", dir / "link");
  sys::create_directories(dir / "link/a/b/");
  CHECK(fs::is_directory(dir / "mine/a/b"));
  CHECK(mode_of(dir / "mine") == 0700);
  sys::create_directories(dir / "link/a/b");

  dir.make_file("file");
  CHECK_THROWS_AS(sys::create_directories(dir / "file/below"), Error);
  CHECK_THROWS_AS(sys::create_directories(dir / "file"), Error);
  CHECK_THROWS_AS(sys::create_directory(dir / "mine"), Error);
}

TEST_CASE("links are made and read as bytes") {
  const TempDir dir;
  const std::string odd = "a\nb\xFF/" + std::string(1000, 'x');
  sys::create_symlink(odd, dir / "link");
  CHECK(sys::read_symlink(dir / "link") == odd);
  CHECK_THROWS_AS(sys::create_symlink("other", dir / "link"), Error);
  CHECK_THROWS_AS(sys::read_symlink(dir.path()), Error);
}

TEST_CASE("a canonical path has its links resolved and must exist") {
  const TempDir dir;
  dir.make_dir("real");
  fs::create_symlink("real", dir / "link");
  CHECK(sys::canonical(dir / "link/../link") == dir / "real");
  CHECK_THROWS_AS(sys::canonical(dir / "missing"), Error);
}

TEST_CASE("a rename replaces, and names both ends when it fails") {
  const TempDir dir;
  dir.make_file("a", "a");
  dir.make_file("b", "b");
  sys::rename(dir / "a", dir / "b");
  CHECK(dir.read("b") == "a");
  const Error error = error_of([&] { sys::rename(dir / "missing", dir / "b"); });
  CHECK(error.message().find("missing` to `") != std::string::npos);
  CHECK(error.message().find("/b`") != std::string::npos);
}

TEST_CASE("two folders swap in one step") {
  const TempDir dir;
  dir.make_file("one/name", "one");
  dir.make_file("two/name", "two");
  REQUIRE(sys::exchange(dir / "one", dir / "two"));
  CHECK(dir.read("one/name") == "two");
  CHECK(dir.read("two/name") == "one");
  CHECK_THROWS_AS(sys::exchange(dir / "one", dir / "missing"), Error);
}

TEST_CASE("a rename to a new name never replaces, not even an empty folder or a dangling link") {
  const TempDir dir;
  dir.make_file("from/name", "from");
  dir.make_dir("empty");
  fs::create_symlink("nowhere", dir / "dangling");
  dir.make_file("file", "file");
  CHECK_FALSE(sys::rename_new(dir / "from", dir / "empty"));
  CHECK_FALSE(sys::rename_new(dir / "from", dir / "dangling"));
  CHECK_FALSE(sys::rename_new(dir / "from", dir / "file"));
  CHECK(sys::rename_new(dir / "from", dir / "to"));
  CHECK(dir.read("to/name") == "from");
  CHECK_THROWS_AS(sys::rename_new(dir / "from", dir / "again"), Error);
}

TEST_CASE("a hard link is the same file, and other filesystems are said to be unsupported") {
  const TempDir dir;
  dir.make_file("a", "a");
  CHECK(sys::hard_link(dir / "a", dir / "b") == sys::LinkOutcome::linked);
  CHECK(sys::stat_link(dir / "a")->inode == sys::stat_link(dir / "b")->inode);
  CHECK(sys::stat_link(dir / "a")->links == 2);
  CHECK_THROWS_AS(sys::hard_link(dir / "missing", dir / "c"), Error);
  CHECK_THROWS_AS(sys::hard_link(dir / "a", dir / "b"), Error);
  // /dev/shm and /proc are filesystems of their own.
  CHECK(sys::hard_link("/proc/self/status", dir / "c") == sys::LinkOutcome::unsupported);
}

TEST_CASE("a reflink is a copy with the mode, or unsupported and nothing left") {
  const TempDir dir;
  dir.make_file("a", "content");
  if (sys::reflink(dir / "a", dir / "b", 0755) == sys::LinkOutcome::linked) {
    CHECK(dir.read("b") == "content");
    CHECK(mode_of(dir / "b") == 0755);
    CHECK(sys::stat_link(dir / "a")->inode != sys::stat_link(dir / "b")->inode);
  } else {
    CHECK(dir.entries() == std::set<std::string>{"a"});
  }
  CHECK(sys::reflink("/proc/self/status", dir / "c", 0644) == sys::LinkOutcome::unsupported);
  CHECK_FALSE(sys::exists(dir / "c"));
}

TEST_CASE("a copy has the content and the mode asked for") {
  const TempDir dir;
  const std::string content(3'000'000, 'y');
  dir.make_file("a", content);
  sys::copy_file(dir / "a", dir / "b", 0600);
  CHECK(dir.read("b") == content);
  CHECK(mode_of(dir / "b") == 0600);
  CHECK_THROWS_AS(sys::copy_file(dir / "missing", dir / "c", 0600), Error);
}

TEST_CASE("removing a name that is not there is told apart") {
  const TempDir dir;
  dir.make_file("a");
  dir.make_file("precious");
  fs::create_symlink("precious", dir / "link");
  CHECK(sys::remove_if_present(dir / "a"));
  CHECK_FALSE(sys::remove_if_present(dir / "a"));
  CHECK_FALSE(sys::remove_if_present(dir / "precious/below"));
  sys::remove_file(dir / "link");
  CHECK(dir.entries() == std::set<std::string>{"precious"});
  CHECK_THROWS_AS(sys::remove_file(dir / "link"), Error);
  CHECK_THROWS_AS(sys::remove_if_present(dir.path()), Error);
}

TEST_CASE("an unused sibling is hidden, beside the path, new each time, and is not created") {
  const TempDir dir;
  const auto one = sys::unused_sibling(dir / "cuda");
  const auto two = sys::unused_sibling(dir / "cuda");
  CHECK(one != two);
  CHECK(one.parent_path() == dir.path());
  CHECK(one.filename().string().starts_with(".cuda."));
  CHECK(dir.entries().empty());
  CHECK(sys::unused_sibling("relative").parent_path() == ".");
}

TEST_CASE("syncing works on files, folders and filesystems, and names what is missing") {
  const TempDir dir;
  dir.make_file("a", "a");
  sys::sync_file(dir / "a");
  sys::sync_directory(dir.path());
  sys::sync_filesystem(dir.path());
  CHECK_THROWS_AS(sys::sync_file(dir / "b"), Error);
  CHECK_THROWS_AS(sys::sync_directory(dir / "a"), Error);
  CHECK_THROWS_AS(sys::sync_filesystem(dir / "b"), Error);
}

TEST_CASE("free space is asked of the nearest folder that exists") {
  const TempDir dir;
  const auto here = sys::free_space(dir.path());
  const auto below = sys::free_space(dir / "not/yet/there");
  CHECK(here.bytes > 0);
  // Others write meanwhile.
  CHECK(below.bytes > here.bytes / 2);
  CHECK(below.bytes < here.bytes * 2);
  CHECK(below.inodes.has_value() == here.inodes.has_value());
  struct ::statfs raw;
  REQUIRE(::statfs(dir.path().c_str(), &raw) == 0);
  CHECK(here.inodes.has_value() == (raw.f_files > 0));
}

TEST_CASE("whether a folder can be written is asked of the nearest that exists") {
  const TempDir dir;
  fs::permissions(dir.path(), fs::perms(0755));
  dir.make_dir("closed");
  fs::permissions(dir / "closed", fs::perms(0555));
  dir.make_dir("open");
  fs::permissions(dir / "open", fs::perms(0777));
  CHECK(sys::can_write(dir / "open/not/yet"));
  const auto as_other_user = [&] {
    if (test::is_root() && !test::become_nobody()) return 98;
    return (sys::can_write(dir / "open/x") ? 1 : 0) + (sys::can_write(dir / "closed/x") ? 2 : 0);
  };
  CHECK(test::in_child(as_other_user) == 1);
}

TEST_CASE("a failure of permission is an error of its own as another user") {
  const TempDir dir;
  fs::permissions(dir.path(), fs::perms(0755));
  dir.make_file("secret/file", "x");
  fs::permissions(dir / "secret", fs::perms(test::is_root() ? 0700 : 0000));
  const int status = test::in_child([&] {
    if (test::is_root() && !test::become_nobody()) return 98;
    try {
      sys::read_if_present(dir / "secret/file");
    } catch (const Error& error) {
      return error.message().ends_with("permission denied") && error.advice().size() == 1 ? 0 : 1;
    }
    return 2;
  });
  fs::permissions(dir / "secret", fs::perms(0755));
  CHECK(status == 0);
}

TEST_CASE("writing to a full device says so") {
  if (!sys::exists("/dev/full")) {
    MESSAGE("skipped: there is no /dev/full");
    return;
  }
  const sys::Fd fd(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const Error error = error_of([&] { sys::write_all(fd.get(), "x", "/dev/full"); });
  CHECK(error.message() == "cannot write `/dev/full`: no space left on device");
}

TEST_CASE("a descriptor is closed once, by its last owner") {
  int number = -1;
  {
    sys::Fd one = sys::open_read("/dev/null");
    number = one.get();
    sys::Fd two(std::move(one));
    CHECK_FALSE(one);  // NOLINT(bugprone-use-after-move): it promises to be empty
    sys::Fd three;
    three = std::move(two);
    CHECK(three.get() == number);
    CHECK(::fcntl(number, F_GETFD) == FD_CLOEXEC);
  }
  CHECK(::fcntl(number, F_GETFD) == -1);
}
