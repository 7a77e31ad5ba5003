#include "base/error.hpp"

#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "base/interrupt.hpp"

using cudaenv::Error;
using cudaenv::ErrorKind;
using cudaenv::Interrupt;
using cudaenv::Interrupted;
using cudaenv::while_doing;

namespace {

Error caught(void (*step)()) {
  try {
    step();
  } catch (const Error& error) {
    return error;
  }
  throw std::string("nothing was thrown");
}

class Asked final : public Interrupt {
 public:
  explicit Asked(int signal) : signal_(signal) {}
  int requested() const noexcept override { return signal_; }

 private:
  int signal_;
};

}  // namespace

TEST_CASE("an error carries its message, causes and advice in the order they were added") {
  const Error error = Error(ErrorKind::network, "cannot fetch it")
                          .because("the server closed the connection")
                          .because("twice")
                          .help("try again")
                          .help("name a mirror");
  CHECK(error.kind() == ErrorKind::network);
  CHECK(error.message() == "cannot fetch it");
  CHECK(error.causes() == std::vector<std::string>{"the server closed the connection", "twice"});
  CHECK(error.advice() == std::vector<std::string>{"try again", "name a mirror"});
  CHECK(std::string(error.what()) == "cannot fetch it: the server closed the connection: twice");
}

TEST_CASE("an outer step puts its headline above, and the old message becomes the first cause") {
  const Error error = caught([] {
    while_doing("cannot install CUDA 13.0.1", []() -> int {
      throw Error(ErrorKind::corrupt, "the archive is wrong").because("it is short").help("again");
    });
  });
  CHECK(error.kind() == ErrorKind::corrupt);
  CHECK(error.message() == "cannot install CUDA 13.0.1");
  CHECK(error.causes() == std::vector<std::string>{"the archive is wrong", "it is short"});
  CHECK(error.advice() == std::vector<std::string>{"again"});
  CHECK(std::string(error.what()) ==
        "cannot install CUDA 13.0.1: the archive is wrong: it is short");
}

TEST_CASE("a step that succeeds returns its value through while_doing") {
  CHECK(while_doing("unused", [] { return 42; }) == 42);
}

TEST_CASE("an interruption is no error and passes through every headline") {
  static_assert(!std::is_base_of_v<Error, Interrupted>);
  CHECK_THROWS_AS(while_doing("headline", [] { Asked(15).check(); }), Interrupted);
}

TEST_CASE("an interrupt throws only when someone asked, and says with which signal") {
  CHECK_NOTHROW(cudaenv::NoInterrupt().check());
  CHECK_NOTHROW(Asked(0).check());
  try {
    Asked(2).check();
    FAIL("it did not throw");
  } catch (const Interrupted& interrupted) {
    CHECK(interrupted.signal() == 2);
  }
}

TEST_CASE("an error that is given its own extension keeps what it said") {
  Error error(ErrorKind::missing, "what");
  error = std::move(error).because("why");
  error = std::move(error).help("how");
  CHECK(error.message() == "what");
  CHECK(error.causes() == std::vector<std::string>{"why"});
  CHECK(error.advice() == std::vector<std::string>{"how"});
}
