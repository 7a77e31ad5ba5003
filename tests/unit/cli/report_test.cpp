#include "cli/report.hpp"

#include <doctest/doctest.h>

using namespace cudaenv;
using cli::Style;

TEST_CASE("an error is told as what, why from outside in, and what to type") {
  const Error error = Error(ErrorKind::corrupt, "the archive does not match its checksum")
                          .because("expected 5a2c")
                          .because("received 91f0")
                          .help("run the command again")
                          .help("or name a mirror");
  CHECK(cli::rendered(error.under("cannot install CUDA 13.0.1"), Style(false)) ==
        "error: cannot install CUDA 13.0.1\n"
        "  the archive does not match its checksum\n"
        "  expected 5a2c\n"
        "  received 91f0\n"
        "help: run the command again\n"
        "help: or name a mirror\n");
}

TEST_CASE("an error without causes and advice is one line") {
  CHECK(cli::rendered(Error(ErrorKind::missing, "it is not there"), Style(false)) ==
        "error: it is not there\n");
}

TEST_CASE("colour adds to a report and changes no word of it") {
  const Error error = Error(ErrorKind::missing, "it is not there").because("why").help("what");
  const auto coloured = cli::rendered(error, Style(true));
  CHECK(coloured == "\x1b[1;31merror:\x1b[0m it is not there\n  why\n\x1b[36mhelp:\x1b[0m what\n");
}

TEST_CASE("wrong usage ends with 2, every other failure with 1") {
  CHECK(cli::exit_status(Error(ErrorKind::usage, "x")) == 2);
  for (const auto kind : {ErrorKind::missing, ErrorKind::network, ErrorKind::corrupt,
                          ErrorKind::busy, ErrorKind::system}) {
    CHECK(cli::exit_status(Error(kind, "x")) == 1);
  }
}

TEST_CASE("the exit statuses are those of the manual") {
  CHECK(cli::Exit::done == 0);
  CHECK(cli::Exit::failed == 1);
  CHECK(cli::Exit::wrong_usage == 2);
  CHECK(cli::Exit::found_something == 3);
  CHECK(cli::Exit::skipped == 77);
}
