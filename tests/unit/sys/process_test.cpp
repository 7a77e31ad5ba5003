#include "sys/process.hpp"

#include <chrono>
#include <fcntl.h>
#include <functional>
#include <map>
#include <signal.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/temp_dir.hpp"
#include "sys/file.hpp"
#include "sys/signals.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;
using cudaenv::test::in_child;
using cudaenv::test::TempDir;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string, std::less<>>;

namespace {

sys::Command shell(const std::string& script) {
  sys::Command command;
  command.arguments = {"sh", "-c", script};
  return command;
}

sys::Outcome run(const sys::Command& command) { return sys::run(command, NoInterrupt()); }
sys::Outcome run(const std::string& script) { return run(shell(script)); }

// A process that was killed may be a moment in dying, and a zombie until init looks.
bool is_gone(pid_t pid) {
  for (int i = 0; i < 100; ++i) {
    const auto stat = sys::read_if_present(fs::path("/proc") / std::to_string(pid) / "stat");
    if (!stat || stat->find(") Z ") != std::string::npos) return true;
    ::usleep(10'000);
  }
  return false;
}

double seconds_of(const std::chrono::steady_clock::time_point& start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class AskedAfter final : public Interrupt {
 public:
  int requested() const noexcept override { return ++polls_ > 2 ? SIGINT : 0; }

 private:
  mutable int polls_ = 0;
};

void make_program(const TempDir& dir, const std::string& name, const std::string& content) {
  dir.make_file(name, content);
  fs::permissions(dir / name, fs::perms(0755));
}

}  // namespace

TEST_CASE("both streams and the status of a command are captured apart") {
  const auto outcome = run("echo out; echo err >&2; exit 3");
  CHECK(outcome.out == "out\n");
  CHECK(outcome.err == "err\n");
  CHECK(outcome.status == 3);
  CHECK(outcome.signal == 0);
  CHECK_FALSE(outcome.ok());
  CHECK(run("true").ok());
}

TEST_CASE("a command that a signal killed says which") {
  const auto outcome = run("kill -SEGV $$");
  CHECK(outcome.signal == SIGSEGV);
  CHECK(outcome.status == 128 + SIGSEGV);
  CHECK_FALSE(outcome.ok());
}

TEST_CASE("arguments arrive as they are, however odd") {
  sys::Command command;
  command.arguments = {"printf", "[%s]", "", "a b", "$HOME", "it's", "\xFF\n"};
  CHECK(run(command).out == "[][a b][$HOME][it's][\xFF\n]");
}

TEST_CASE("output larger than a pipe on both streams at once does not block") {
  const auto outcome =
      run("i=0; while [ $i -lt 200 ]; do printf '%01000d' $i; printf '%01000d' $i >&2; "
          "i=$((i+1)); done");
  CHECK(outcome.out.size() == 200'000);
  CHECK(outcome.err.size() == 200'000);
}

TEST_CASE("input larger than a pipe reaches a command that answers meanwhile") {
  sys::Command command = shell("cat");
  for (int i = 0; i < 300'000; ++i) command.input += static_cast<char>('a' + i % 26);
  const auto outcome = run(command);
  CHECK(outcome.ok());
  CHECK(outcome.out == command.input);
}

TEST_CASE("without input a command reads the end of file, not our stdin") {
  CHECK(run("cat; echo end").out == "end\n");
}

TEST_CASE("a command that does not read its input is no failure, with or without SIGPIPE ignored") {
  const auto feed_one_that_does_not_read = [] {
    sys::Command command = shell("exec <&-; echo done");
    command.input = std::string(1'000'000, 'x');
    return run(command).out == "done\n" ? 0 : 1;
  };
  CHECK(in_child(feed_one_that_does_not_read) == 0);
  CHECK(in_child([&] {
          const sys::SignalInterrupt interrupt;
          return feed_one_that_does_not_read();
        }) == 0);
}

TEST_CASE("the environment is ours unless another is given whole") {
  ::setenv("CUDAENV_TEST_X", "x", 1);
  CHECK(run("echo $CUDAENV_TEST_X").out == "x\n");
  sys::Command command;
  command.arguments = {"/usr/bin/env"};
  command.environment = Variables{{"A", "1"}, {"B", "a=b c"}};
  CHECK(run(command).out == "A=1\nB=a=b c\n");
  ::unsetenv("CUDAENV_TEST_X");
}

TEST_CASE("a command is looked up in the PATH of its own environment") {
  const TempDir dir;
  make_program(dir, "mine", "#!/bin/sh\necho mine\n");
  sys::Command command;
  command.arguments = {"mine"};
  CHECK(run(command).not_found);
  CHECK(run(command).status == 127);
  command.environment = Variables{{"PATH", dir.path().string()}};
  CHECK(run(command).out == "mine\n");
}

TEST_CASE("a command runs in the folder it is given") {
  const TempDir dir;
  sys::Command command = shell("pwd -P");
  command.directory = dir.path();
  CHECK(run(command).out == dir.path().string() + "\n");
  command.directory = dir / "missing";
  CHECK_THROWS_AS(run(command), Error);
}

TEST_CASE("a file that is there but cannot be run is an outcome that says so") {
  const TempDir dir;
  dir.make_file("plain", "no program");
  fs::permissions(dir / "plain", fs::perms(0644));
  make_program(dir, "garbage",
               "\x7f"
               "ELF, but not really\n");
  make_program(dir, "orphan", "#!/no/such/interpreter\n");
  REQUIRE(::mkfifo((dir / "pipe").c_str(), 0755) == 0);
  for (const char* name : {"plain", "garbage", "orphan", "pipe"}) {
    CAPTURE(name);
    sys::Command command;
    command.arguments = {(dir / name).string()};
    const auto outcome = run(command);
    CHECK(outcome.refused);
    CHECK(outcome.status == 126);
    CHECK_FALSE(outcome.ok());
    CHECK(outcome.err.find((dir / name).string()) != std::string::npos);
  }
  sys::Command command;
  command.arguments = {(dir / "missing").string()};
  CHECK(run(command).not_found);
}

TEST_CASE("a command has ended when a process that it left behind still has its streams") {
  const auto start = std::chrono::steady_clock::now();
  sys::Command command = shell("sleep 100 & echo $!; exit 4");
  command.timeout = 60s;
  const auto outcome = run(command);
  CHECK(outcome.status == 4);
  CHECK_FALSE(outcome.timed_out);
  CHECK(seconds_of(start) < 30);
  ::kill(std::stoi(outcome.out), SIGKILL);
}

TEST_CASE("a command that takes too long is killed with all that it started") {
  const auto start = std::chrono::steady_clock::now();
  sys::Command command = shell("sleep 100 & echo $!; sleep 100");
  command.timeout = 200ms;
  const auto outcome = run(command);
  CHECK(outcome.timed_out);
  CHECK_FALSE(outcome.ok());
  CHECK(seconds_of(start) < 10);
  CHECK(is_gone(std::stoi(outcome.out)));
}

TEST_CASE("the time limit also holds for one that closes its streams and stays") {
  const auto start = std::chrono::steady_clock::now();
  sys::Command command = shell("exec >&- 2>&-; sleep 100");
  command.timeout = 300ms;
  CHECK(run(command).timed_out);
  CHECK(seconds_of(start) < 10);
}

TEST_CASE("a command that ignores SIGTERM is killed as well") {
  sys::Command command = shell("trap '' TERM INT HUP; while :; do sleep 1; done");
  command.timeout = 200ms;
  const auto outcome = run(command);
  CHECK(outcome.timed_out);
  CHECK(outcome.signal == SIGKILL);
}

TEST_CASE("an interrupt kills the command and its children") {
  const TempDir dir;
  const AskedAfter interrupt;
  const auto command = shell("sleep 100 & echo $! > " + (dir / "pid").string() + "; sleep 100");
  CHECK_THROWS_AS(sys::run(command, interrupt), Interrupted);
  // It may have been killed before it started the second one.
  const std::string pid = sys::read_if_present(dir / "pid").value_or("");
  if (!pid.empty()) CHECK(is_gone(std::stoi(pid)));
}

TEST_CASE("a command gets no descriptors of ours, and works when our own streams are closed") {
  const TempDir dir;
  dir.make_file("open");
  const sys::Fd kept = sys::open_read(dir / "open");
  CHECK(run("ls /proc/self/fd | wc -l").out == run("exec 2>&1; ls /proc/self/fd | wc -l").out);
  const int status = in_child([] {
    for (const int fd : {0, 1, 2}) ::close(fd);
    sys::Command command = shell("cat; echo out; echo err >&2");
    command.input = "in\n";
    const auto outcome = run(command);
    if (outcome.out != "in\nout\n") return 1;
    return outcome.err == "err\n" ? 0 : 2;
  });
  CHECK(status == 0);
}

TEST_CASE("replacing the process passes arguments, environment and status on") {
  CHECK(in_child([]() -> int {
          sys::replace_process({"sh", "-c", "[ \"$A\" = 1 ] && exit 7"},
                               {{"A", "1"}, {"PATH", "/usr/bin:/bin"}});
        }) == 7);
}

TEST_CASE("the command that replaces us has the signal actions that we were started with") {
  // SIGPIPE in particular: with it ignored, `yes | head -1` would print an error.
  const int status = in_child([]() -> int {
    const sys::SignalInterrupt interrupt;
    sys::replace_process({"sh", "-c", "kill -PIPE $$; exit 1"}, {{"PATH", "/usr/bin:/bin"}});
  });
  CHECK(status == 128 + SIGPIPE);
}

TEST_CASE("a replacement that cannot be found or run is an error") {
  CHECK_THROWS_WITH_AS(
      sys::replace_process({"no-such-command"}, {{"PATH", "/usr/bin:/bin"}}),
      "`no-such-command` is not a command: no folder of PATH has an executable file of that name",
      Error);
  CHECK_THROWS_AS(sys::replace_process({"/dev/null"}, {}), Error);
}

TEST_CASE("the programs above are told by file and by name, the nearest first") {
  const int status = in_child([&] {
    const auto above = sys::programs_above();
    if (above.empty() || above[0].file != fs::read_symlink("/proc/self/exe").filename()) return 1;
    return above[0].name == above[0].file.substr(0, 15) && above.size() <= 8 ? 0 : 2;
  });
  CHECK(status == 0);
}

TEST_CASE("a program is the first executable file of its name in PATH") {
  const TempDir dir;
  dir.make_dir("1/tool");  // a folder is none
  dir.make_file("2/tool", "not executable");
  fs::permissions(dir / "2/tool", fs::perms(0644));
  make_program(dir, "3/tool", "");
  make_program(dir, "4/tool", "");
  const std::string base = dir.path().string();
  const std::string path = "/missing:" + base + "/1:" + base + "/2:" + base + "/3:" + base + "/4";
  CHECK(sys::find_program("tool", path) == dir / "3/tool");
  CHECK_FALSE(sys::find_program("other", path));
  CHECK_FALSE(sys::find_program("", path));
  CHECK_FALSE(sys::find_program("tool", ""));
}
