#include "cli/style.hpp"

#include <functional>
#include <pty.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "sys/fd.hpp"

using namespace cudaenv;
using cli::Style;

namespace {

sys::Environment with(std::map<std::string, std::string, std::less<>> variables) {
  return sys::Environment(std::move(variables));
}

}  // namespace

TEST_CASE("a terminal has colours, unless NO_COLOR or TERM=dumb says no") {
  int controller = -1;
  int terminal = -1;
  REQUIRE(::openpty(&controller, &terminal, nullptr, nullptr, nullptr) == 0);
  const sys::Fd close_controller(controller);
  const sys::Fd close_terminal(terminal);

  CHECK(Style::for_stream(terminal, with({{"TERM", "xterm"}})).colour());
  CHECK_FALSE(Style::for_stream(terminal, with({{"TERM", "dumb"}})).colour());
  CHECK_FALSE(Style::for_stream(terminal, with({{"TERM", "xterm"}, {"NO_COLOR", "1"}})).colour());
  CHECK_FALSE(Style::for_stream(terminal, with({{"TERM", "xterm"}, {"NO_COLOR", "0"}})).colour());
  // An empty NO_COLOR says nothing (no-color.org).
  CHECK(Style::for_stream(terminal, with({{"TERM", "xterm"}, {"NO_COLOR", ""}})).colour());
}

TEST_CASE("a pipe and a closed stream have no colours") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const sys::Fd reading(ends[0]);
  const sys::Fd writing(ends[1]);
  CHECK_FALSE(Style::for_stream(writing.get(), with({{"TERM", "xterm"}})).colour());
  CHECK_FALSE(Style::for_stream(-1, with({{"TERM", "xterm"}})).colour());
}

TEST_CASE("without colour text is left as it is, with it every code is taken back") {
  const Style plain(false);
  CHECK(plain.bold("x") + plain.dim("x") + plain.red("x") + plain.green("x") + plain.yellow("x") +
            plain.cyan("x") ==
        "xxxxxx");
  const Style coloured(true);
  CHECK(coloured.bold("a b") == "\x1b[1ma b\x1b[0m");
  CHECK(coloured.red("") == "\x1b[1;31m\x1b[0m");
}
