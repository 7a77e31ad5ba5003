#include "sys/child.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "support/temp_dir.hpp"
#include "sys/file.hpp"

using namespace cudaenv;
using cudaenv::test::TempDir;
using sys::ChildOutcome;
using sys::ChildReport;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

namespace {

ChildOutcome outcome_of(const std::function<void(const ChildReport&)>& work,
                        std::chrono::milliseconds limit = 20s) {
  return sys::run_in_child(work, {limit, 1 << 16}, NoInterrupt());
}

class Asked final : public Interrupt {
 public:
  int requested() const noexcept override { return SIGINT; }
};

[[noreturn]] void hang() {
  while (true) ::pause();
}

}  // namespace

TEST_CASE("work in a child reports lines, and what it prints is kept apart") {
  const auto outcome = outcome_of([](const ChildReport& report) {
    report.line("first");
    std::puts("chatter");
    std::fflush(stdout);
    report.line("");
    report.line("last");
  });
  CHECK(outcome.done());
  CHECK(outcome.lines == Lines{"first", "", "last"});
  CHECK(outcome.said == "chatter\n");
}

TEST_CASE("what was reported before a crash is kept") {
  const auto outcome = outcome_of([](const ChildReport& report) {
    report.line("so far");
    std::raise(SIGSEGV);
  });
  CHECK(outcome.end == ChildOutcome::End::crashed);
  CHECK(outcome.signal == SIGSEGV);
  CHECK(outcome.lines == Lines{"so far"});
}

TEST_CASE("a child that hangs is killed when time is over, with the processes that it started") {
  const TempDir dir;
  const auto outcome = outcome_of(
      [&](const ChildReport& report) {
        const pid_t grandchild = ::fork();
        if (grandchild == 0) hang();
        report.line(std::to_string(grandchild));
        hang();
      },
      300ms);
  CHECK(outcome.end == ChildOutcome::End::timed_out);
  REQUIRE(outcome.lines.size() == 1);
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    const auto stat = sys::read_if_present("/proc/" + outcome.lines[0] + "/stat");
    gone = !stat || stat->find(") Z ") != std::string::npos;
    if (!gone) ::usleep(10'000);
  }
  CHECK(gone);
}

TEST_CASE("a child that closes its report and hangs is killed in the same time") {
  const auto outcome = outcome_of(
      [](const ChildReport&) {
        for (int fd = 3; fd < 256; ++fd) ::close(fd);
        hang();
      },
      300ms);
  CHECK(outcome.end == ChildOutcome::End::timed_out);
  CHECK(outcome.lines.empty());
}

TEST_CASE("a child's end counts, not that of a process which inherited its pipes") {
  const auto outcome = outcome_of([](const ChildReport& report) {
    const pid_t holder = ::fork();
    if (holder == 0) {
      ::alarm(30);
      hang();
    }
    report.line(std::to_string(holder));
  });
  CHECK(outcome.done());
  REQUIRE(outcome.lines.size() == 1);
  ::kill(std::stoi(outcome.lines[0]), SIGKILL);
}

TEST_CASE("exit in the middle is not the end of the work, whatever its status") {
  for (const int status : {0, 3}) {
    const auto outcome = outcome_of([status](const ChildReport& report) {
      report.line("half");
      ::_exit(status);
    });
    CHECK(outcome.end == ChildOutcome::End::exited);
    CHECK(outcome.status == status);
    CHECK(outcome.lines == Lines{"half"});
  }
}

TEST_CASE("an exception ends the child and is told among what it printed") {
  const auto outcome =
      outcome_of([](const ChildReport&) { throw std::runtime_error("the library is none"); });
  CHECK(outcome.end == ChildOutcome::End::exited);
  CHECK(outcome.said == "the library is none");
}

TEST_CASE("a line that was cut by the child's end is left out") {
  const auto outcome = outcome_of([](const ChildReport& report) {
    report.line("whole");
    for (int fd = 3; fd < 64; ++fd) {
      if (::fcntl(fd, F_GETFL) == O_WRONLY) [[maybe_unused]]
        const auto n = ::write(fd, "cu", 2);
    }
    std::raise(SIGKILL);
  });
  CHECK(outcome.end == ChildOutcome::End::crashed);
  CHECK(outcome.lines == Lines{"whole"});
}

TEST_CASE("floods of a report and of chatter are cut") {
  const auto outcome = outcome_of([](const ChildReport& report) {
    for (int i = 0; i < 5000; ++i) {
      report.line(std::string(99, 'x'));
      std::puts("yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");
    }
  });
  CHECK(outcome.end == ChildOutcome::End::exited);
  CHECK(outcome.lines.size() <= (1 << 16) / 100);
  CHECK(outcome.said.size() <= 4096);
}

TEST_CASE("a child has nothing to read and leads its own process group") {
  const auto outcome = outcome_of([](const ChildReport& report) {
    char byte;
    report.line(std::to_string(::read(STDIN_FILENO, &byte, 1)));
    report.line(::getpgrp() == ::getpid() ? "leads" : "follows");
  });
  CHECK(outcome.lines == Lines{"0", "leads"});
}

TEST_CASE("an interrupt ends the wait and the child") {
  CHECK_THROWS_AS(sys::run_in_child([](const ChildReport&) { hang(); }, sys::ChildLimit(), Asked()),
                  Interrupted);
}
