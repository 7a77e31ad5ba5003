#include "gpu/driver_version.hpp"

#include <chrono>

#include <doctest/doctest.h>

#include "sys/environment.hpp"
#include "sys/process.hpp"

using namespace cudaenv;

namespace {

// What a process is told that finds this fake.
std::string asked(const std::string& kind) {
  sys::Command command;
  command.arguments = {ASK_DRIVER};
  auto variables = sys::Environment::of_process().variables();
  variables["LD_LIBRARY_PATH"] = std::string(FAKES) + "/" + kind;
  command.environment = variables;
  command.timeout = std::chrono::seconds(20);
  const auto outcome = sys::run(command, NoInterrupt());
  CHECK(outcome.ok());
  return outcome.out;
}

}  // namespace

TEST_CASE("a driver tells the newest CUDA that it runs, and what it prints is kept away") {
  CHECK(asked("works") == "13.0\n");
  CHECK(asked("old") == "11.8\n");
}

TEST_CASE("a driver that fails, crashes, hangs or lacks the function is none") {
  CHECK(asked("fails") == "none\n");
  CHECK(asked("crashes") == "none\n");
  CHECK(asked("lacks") == "none\n");
  const auto start = std::chrono::steady_clock::now();
  CHECK(asked("hangs") == "none\n");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(15));
}
