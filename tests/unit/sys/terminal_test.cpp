#include "sys/terminal.hpp"

#include <fcntl.h>
#include <pty.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "sys/fd.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;

namespace {

// What `lines` reads from `input` on stdin; each line is answered by its length.
int read_in_child(const std::string& input, const std::string& wanted, int times) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], input.data(), input.size()) == static_cast<ssize_t>(input.size()));
  ::close(ends[1]);
  const int status = test::in_child([&] {
    ::dup2(ends[0], STDIN_FILENO);
    std::string all;
    std::string line;
    for (int i = 0; i < times; ++i)
      all += sys::read_line(line, NoInterrupt()) ? "[" + line + "]" : "end";
    return all == wanted ? 0 : 1;
  });
  ::close(ends[0]);
  return status;
}

}  // namespace

TEST_CASE("a pty is a terminal with its width, a pipe is none and has 80 columns") {
  int controller = -1;
  int terminal = -1;
  const winsize size{24, 132, 0, 0};
  REQUIRE(::openpty(&controller, &terminal, nullptr, nullptr, &size) == 0);
  const sys::Fd close_controller(controller);
  const sys::Fd close_terminal(terminal);
  CHECK(sys::is_terminal(terminal));
  CHECK(sys::terminal_width(terminal) == 132);
  const winsize unknown{0, 0, 0, 0};
  REQUIRE(::ioctl(terminal, TIOCSWINSZ, &unknown) == 0);
  CHECK(sys::terminal_width(terminal) == 80);

  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const sys::Fd read_end(ends[0]);
  const sys::Fd write_end(ends[1]);
  CHECK_FALSE(sys::is_terminal(ends[0]));
  CHECK(sys::terminal_width(ends[0]) == 80);
  CHECK_FALSE(sys::is_terminal(-1));
}

TEST_CASE("a line is read without its newline; what follows is left; the end is told") {
  CHECK(read_in_child("yes\nno\n", "[yes][no]end", 3) == 0);
  CHECK(read_in_child("no newline", "[no newline]end", 2) == 0);
  CHECK(read_in_child("\n", "[]end", 2) == 0);
  CHECK(read_in_child("", "end", 1) == 0);
  CHECK(read_in_child(std::string(5000, 'x') + "\ny\n", "[" + std::string(4096, 'x') + "][y]", 2) ==
        0);
}

TEST_CASE("stderr gets all the bytes, and a closed stderr is no failure") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const sys::Fd read_end(ends[0]);
  sys::Fd write_end(ends[1]);
  const int status = test::in_child([&] {
    ::dup2(ends[1], STDERR_FILENO);
    sys::write_stderr("one\n");
    ::close(STDERR_FILENO);
    sys::write_stderr("two\n");
    return 0;
  });
  write_end.close();
  CHECK(status == 0);
  char buffer[16];
  REQUIRE(::read(ends[0], buffer, sizeof buffer) == 4);
  CHECK(std::string(buffer, 4) == "one\n");
}
