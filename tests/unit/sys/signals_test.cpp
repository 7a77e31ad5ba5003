#include "sys/signals.hpp"

#include <cerrno>
#include <signal.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;
using cudaenv::test::Child;
using cudaenv::test::Gate;
using cudaenv::test::in_child;

TEST_CASE("each signal sets the flag once, and the flag says which") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    const int seen = in_child([&] {
      const sys::SignalInterrupt interrupt;
      if (interrupt.requested() != 0) return 98;
      ::raise(signal);
      return interrupt.requested();
    });
    CHECK(seen == signal);
  }
}

TEST_CASE("a second signal ends the process at once with 128 + signal") {
  const int status = in_child([] {
    const sys::SignalInterrupt interrupt;
    ::raise(SIGINT);
    ::raise(SIGTERM);
    return 0;
  });
  CHECK(status == 128 + SIGTERM);
}

TEST_CASE("a signal ends a blocking call, so that its loop can look at the flag") {
  Gate ready;
  Child child([&] {
    const sys::SignalInterrupt interrupt;
    int ends[2];
    if (::pipe(ends) != 0) return 98;
    ready.open();
    char byte;
    const auto got = ::read(ends[0], &byte, 1);
    return got < 0 && errno == EINTR && interrupt.requested() == SIGTERM ? 0 : 1;
  });
  ready.pass();
  // The child may not have reached its read; a second signal would end it, so wait for the sleep.
  ::usleep(50'000);
  child.send(SIGTERM);
  CHECK(child.wait() == 0);
}

TEST_CASE("a closed pipe is a write error while the object lives, and former behaviour returns") {
  const int status = in_child([] {
    int ends[2];
    if (::pipe(ends) != 0) return 98;
    ::close(ends[0]);
    {
      const sys::SignalInterrupt interrupt;
      if (::write(ends[1], "x", 1) != -1 || errno != EPIPE) return 1;
    }
    [[maybe_unused]] const auto n = ::write(ends[1], "x", 1);
    return 2;
  });
  CHECK(status == 128 + SIGPIPE);
  CHECK(in_child([] {
          { const sys::SignalInterrupt interrupt; }
          ::raise(SIGTERM);
          return 0;
        }) == 128 + SIGTERM);
}

TEST_CASE("what nohup has set to ignored stays ignored") {
  const int status = in_child([] {
    ::signal(SIGHUP, SIG_IGN);
    const sys::SignalInterrupt interrupt;
    ::raise(SIGHUP);
    return interrupt.requested();
  });
  CHECK(status == 0);
}

TEST_CASE("a new object starts without the old one's request") {
  const int status = in_child([] {
    {
      const sys::SignalInterrupt interrupt;
      ::raise(SIGINT);
    }
    const sys::SignalInterrupt interrupt;
    return interrupt.requested();
  });
  CHECK(status == 0);
}
