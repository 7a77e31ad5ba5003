#include "sys/companion.hpp"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/temp_dir.hpp"
#include "sys/environment.hpp"
#include "sys/file.hpp"

namespace sys = cudaenv::sys;
using cudaenv::test::TempDir;
using Clock = std::chrono::steady_clock;

namespace {

const auto& environment() {
  static const auto variables = sys::Environment::of_process();
  return variables.variables();
}

sys::Ending ending_of(sys::Companion& companion) {
  const auto ending = companion.wait_until(Clock::now() + std::chrono::seconds(30));
  REQUIRE(ending);
  return *ending;
}

}  // namespace

TEST_CASE("a companion's status and signal are told") {
  sys::Companion seven({"sh", "-c", "exit 7"}, environment());
  CHECK(ending_of(seven).status == 7);
}

TEST_CASE("a companion that a signal killed is told so") {
  sys::Companion killed({"sh", "-c", "kill -9 $$"}, environment());
  const auto ending = ending_of(killed);
  CHECK(ending.signal == SIGKILL);
  CHECK(ending.status == 128 + SIGKILL);
}

TEST_CASE("a signal that somebody sends us is the companion's") {
  const TempDir dir;
  const auto ready = (dir / "ready").string();
  sys::Companion companion(
      {"sh", "-c", "trap 'exit 5' TERM; : >\"$0\"; while :; do sleep 0.05; done", ready},
      environment());
  while (!sys::exists(ready)) ::usleep(10'000);
  ::kill(::getpid(), SIGTERM);
  CHECK(ending_of(companion).status == 5);
}

TEST_CASE("a companion that still runs is waited for no longer than asked, and ended with us") {
  pid_t pid = -1;
  {
    sys::Companion companion({"sleep", "60"}, environment());
    pid = companion.pid();
    CHECK_FALSE(companion.wait_until(Clock::now()));
  }
  CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("a command that is none is told at once") {
  CHECK_THROWS_AS(sys::Companion({"no-such-command-here"}, environment()), cudaenv::Error);
  CHECK_THROWS_AS(sys::Companion({"/"}, environment()), cudaenv::Error);
}
