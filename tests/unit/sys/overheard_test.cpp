#include "sys/overheard.hpp"

#include <chrono>
#include <fstream>
#include <signal.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/temp_dir.hpp"
#include "sys/environment.hpp"
#include "sys/file.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;
using test::in_child;

namespace {

struct Heard {
  int status;
  std::string text;
};

// In a child, whose stderr is kept away from the test's report.
Heard heard(const test::TempDir& folder, const std::string& script) {
  const auto file = folder / "heard";
  const int status = in_child([&] {
    const auto sink = sys::open_read("/dev/null");
    ::dup2(sink.get(), STDERR_FILENO);
    std::string text;
    const int ended =
        sys::run_overheard({"sh", "-c", script}, sys::Environment::of_process().variables(),
                           [&](std::string_view piece) { text += piece; });
    std::ofstream(file) << text;
    return ended;
  });
  return {status, sys::read_file(file)};
}

}  // namespace

TEST_CASE("what a command says on stderr is heard, and its status is its own") {
  const test::TempDir folder;
  const auto one = heard(folder, "echo told >&2; echo data >/dev/null; exit 7");
  CHECK(one.status == 7);
  CHECK(one.text == "told\n");
  CHECK(heard(folder, "kill -9 $$").status == 128 + 9);
  const auto many = heard(folder, "yes told | head -c 3000000 >&2");
  CHECK(many.status == 0);
  CHECK(many.text.size() == 3'000'000);
}

TEST_CASE("a process that a command leaves behind does not keep us") {
  const test::TempDir folder;
  const auto start = std::chrono::steady_clock::now();
  CHECK(heard(folder, "sleep 30 & echo told >&2; exit 3").status == 3);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("a signal that is sent to us is the command's") {
  const test::TempDir folder;
  const auto ready = folder / "ready";
  test::Child child([&] {
    return sys::run_overheard(
        {"sh", "-c",
         "trap 'exit 42' TERM; touch '" + ready.string() + "'; while :; do sleep 0.01; done"},
        sys::Environment::of_process().variables(), [](std::string_view) {});
  });
  while (!sys::exists(ready)) std::this_thread::yield();
  child.send(SIGTERM);
  CHECK(child.wait() == 42);
}

TEST_CASE("a command that is not there is an error") {
  CHECK_THROWS_AS(
      sys::run_overheard({"cudaenv-no-such-program"}, sys::Environment::of_process().variables(),
                         [](std::string_view) {}),
      Error);
  CHECK_THROWS_AS(sys::run_overheard({"/"}, sys::Environment::of_process().variables(),
                                     [](std::string_view) {}),
                  Error);
}
