#include "cli/table.hpp"

#include <doctest/doctest.h>

#include "cli/style.hpp"

using namespace cudaenv;

TEST_CASE("columns are as wide as their widest cell, with two blanks between") {
  CHECK(cli::table({{"12.1.1", "dev", "/a"}, {"9", "minimal", "/bb"}}) ==
        "12.1.1  dev      /a\n"
        "9       minimal  /bb\n");
}

TEST_CASE("no line ends in blanks, and rows may differ in length") {
  CHECK(cli::table({{"a", "b"}, {"longer"}, {"c", ""}}) == "a       b\nlonger\nc\n");
  CHECK(cli::table({}) == "");
  CHECK(cli::table({{}, {""}}) == "\n\n");
}

TEST_CASE("colour codes take no room") {
  const cli::Style style(true);
  CHECK(cli::table({{style.bold("ab"), "x"}, {"abcd", "y"}}) == "\x1b[1mab\x1b[0m    x\nabcd  y\n");
}

TEST_CASE("a UTF-8 sequence counts as one column") {
  CHECK(cli::shown_width("") == 0);
  CHECK(cli::shown_width("abc") == 3);
  CHECK(cli::shown_width("überall") == 7);
  CHECK(cli::shown_width("█▏⠋…") == 4);
  CHECK(cli::shown_width("\x1b[1;31mrot\x1b[0m") == 3);
  CHECK(cli::table({{"ü", "x"}, {"ab", "y"}}) == "ü   x\nab  y\n");
}
