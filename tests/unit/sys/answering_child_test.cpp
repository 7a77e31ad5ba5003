#include "sys/answering_child.hpp"

#include <chrono>
#include <csignal>
#include <string>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "base/interrupt.hpp"

namespace sys = cudaenv::sys;
using namespace std::chrono_literals;
using cudaenv::Interrupted;
using cudaenv::NoInterrupt;
using End = sys::ChildOutcome::End;

namespace {

using Lines = std::vector<std::string>;

sys::ChildOutcome ask(sys::AnsweringChild& child, std::string_view question,
                      std::chrono::milliseconds time = 10s) {
  return child.ask(question, {time, 1 << 12}, NoInterrupt());
}

// Counts the questions, and does badly what it is told to.
void answer(int& count, std::string_view question, const sys::ChildReport& report) {
  report.line(std::to_string(++count) + " " + std::string(question));
  if (question == "crash") std::abort();
  if (question == "exit") ::_exit(0);
  if (question == "flood") {
    for (int i = 0; i < 1000; ++i) report.line(std::string(60, 'x'));
  }
  while (question == "hang") ::pause();
}

sys::AnsweringChild counting() {
  return sys::AnsweringChild(
      [count = 0](std::string_view question, const sys::ChildReport& report) mutable {
        answer(count, question, report);
      });
}

class Asked final : public cudaenv::Interrupt {
 public:
  int requested() const noexcept override { return SIGINT; }
};

}  // namespace

TEST_CASE("a child answers one question after another and keeps what it has") {
  auto child = counting();
  CHECK(ask(child, "first").lines == Lines{"1 first"});
  CHECK(ask(child, "").lines == Lines{"2 "});
  const auto third = ask(child, "third");
  CHECK(third.done());
  CHECK(third.lines == Lines{"3 third"});
}

TEST_CASE("a child that crashes, ends, hangs or floods is told as such, and replaced") {
  auto child = counting();
  for (const auto& [question, end] : {std::pair{"crash", End::crashed},
                                      {"exit", End::exited},
                                      {"hang", End::timed_out},
                                      {"flood", End::timed_out}}) {
    const std::string asked = question;
    CAPTURE(asked);
    const auto outcome = ask(child, question, 300ms);
    CHECK(outcome.end == end);
    REQUIRE_FALSE(outcome.lines.empty());
    CHECK(outcome.lines[0] == "1 " + std::string(question));
    CHECK(ask(child, "again").lines == Lines{"1 again"});
    ask(child, "exit");
  }
}

TEST_CASE("a child that died between two questions is not taken for one that answered") {
  auto child = counting();
  const auto pid_child = ask(child, "one");
  CHECK(pid_child.done());
  sys::AnsweringChild killed([](std::string_view, const sys::ChildReport& report) {
    report.line(std::to_string(::getpid()));
  });
  ::kill(std::stoi(ask(killed, "pid").lines.at(0)), SIGKILL);
  const auto lost = ask(killed, "pid");
  CHECK(lost.end == End::crashed);
  CHECK(lost.signal == SIGKILL);
  CHECK(ask(killed, "pid").done());
}

TEST_CASE("an interrupt ends the wait at once") {
  auto child = counting();
  CHECK_THROWS_AS(child.ask("hang", sys::ChildLimit(), Asked()), Interrupted);
}
