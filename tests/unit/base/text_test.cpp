#include "base/text.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sys/process.hpp"

namespace text = cudaenv::text;
using Views = std::vector<std::string_view>;

TEST_CASE("a byte order mark is taken off, once and only at the beginning") {
  CHECK(text::without_byte_order_mark("\xEF\xBB\xBF"
                                      "a") == "a");
  CHECK(text::without_byte_order_mark("\xEF\xBB\xBF\xEF\xBB\xBF") == "\xEF\xBB\xBF");
  CHECK(text::without_byte_order_mark("\xEF\xBB") == "\xEF\xBB");
  CHECK(text::without_byte_order_mark("a\xEF\xBB\xBF") == "a\xEF\xBB\xBF");
  CHECK(text::without_byte_order_mark("").empty());
}

TEST_CASE("trimming takes blanks, tabs and line ends off both ends only") {
  CHECK(text::trimmed(" \t12.1 \r\n") == "12.1");
  CHECK(text::trimmed("a b") == "a b");
  CHECK(text::trimmed(" \n\t ") == "");
  CHECK(text::trimmed("") == "");
}

TEST_CASE("splitting keeps empty pieces") {
  CHECK(text::split("a:b", ':') == Views{"a", "b"});
  CHECK(text::split("", ':') == Views{""});
  CHECK(text::split(":a::", ':') == Views{"", "a", "", ""});
}

TEST_CASE("lines lose LF or CRLF, and a final newline adds none") {
  CHECK(text::lines("a\nb") == Views{"a", "b"});
  CHECK(text::lines("a\r\nb\r\n") == Views{"a", "b"});
  CHECK(text::lines("") == Views{});
  CHECK(text::lines("\n\n") == Views{"", ""});
  CHECK(text::lines("a\rb\n") == Views{"a\rb"});
}

TEST_CASE("joining and lowering") {
  CHECK(text::join({"a", "b", "c"}, ", ") == "a, b, c");
  CHECK(text::join({}, ", ") == "");
  CHECK(text::lower("CUDA-12.1 \xC3\x84") == "cuda-12.1 \xC3\x84");
}

TEST_CASE("a number is digits that fit, and nothing else") {
  CHECK(text::parse_unsigned("0") == 0);
  CHECK(text::parse_unsigned("007") == 7);
  CHECK(text::parse_unsigned("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  for (const char* wrong : {"", " 1", "1 ", "-1", "+1", "0x10", "1e3", "1.0",
                            "18446744073709551616", "99999999999999999999999"}) {
    CAPTURE(wrong);
    CHECK_FALSE(text::parse_unsigned(wrong));
  }
}

TEST_CASE("foreign text is shown in one line and cannot move the cursor") {
  CHECK(text::visible("plain") == "plain");
  CHECK(text::visible("a\nb\rc\td") == "a\\nb\\rc\\td");
  CHECK(text::visible("\x1b[31mred\x07\x7F") == "\\x1B[31mred\\x07\\x7F");
  CHECK(text::visible(std::string_view("\0", 1)) == "\\x00");
  CHECK(text::visible("\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80") ==
        "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80");
}

TEST_CASE("bytes that are not UTF-8 are shown as numbers") {
  CHECK(text::visible("\xFF") == "\\xFF");
  CHECK(text::visible("\xC3") == "\\xC3");                             // cut off
  CHECK(text::visible("\xC3(") == "\\xC3(");                           // no continuation
  CHECK(text::visible("\xC0\xAF") == "\\xC0\\xAF");                    // overlong
  CHECK(text::visible("\xE0\x80\x80") == "\\xE0\\x80\\x80");           // overlong
  CHECK(text::visible("\xED\xA0\x80") == "\\xED\\xA0\\x80");           // half a surrogate pair
  CHECK(text::visible("\xF4\x90\x80\x80") == "\\xF4\\x90\\x80\\x80");  // past the last character
  CHECK(text::visible("\xC2\x9B"
                      "31m") ==
        "\\xC2\\x9B"
        "31m");  // C1: begins a terminal command
}

TEST_CASE("text longer than the limit is cut, text as long is not") {
  CHECK(text::visible("12345", 5) == "12345");
  CHECK(text::visible("123456", 5) == "12345...");
  CHECK(text::visible(std::string(100000, 'x')).size() == 203);
}

TEST_CASE("a plain word needs no quotes, others get them") {
  CHECK(text::shell_quoted("/usr/local/cuda-12.1") == "/usr/local/cuda-12.1");
  CHECK(text::shell_quoted("") == "''");
  CHECK(text::shell_quoted("a b") == "'a b'");
  CHECK(text::shell_quoted("it's") == "'it'\\''s'");
  CHECK(text::shell_quoted("~") == "'~'");
}

TEST_CASE("a real shell reads a quoted word back as it was") {
  std::vector<std::string> words{
      "",   "plain",  "a b", "it's",  "'",     "''",  "$HOME",    "`id`",     "$(id)",    "a\nb\n",
      "*",  "?[a-z]", "~",   "~root", "\\",    "\\n", "\"",       "!x",       "a;b",      "a&b",
      "\t", "-n",     "--",  "#x",    "{a,b}", "a=b", "\xC3\xA4", "\xFF\xFE", "\x01\x7F", "%s"};
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  words.push_back(all);
  for (const auto& word : words) {
    CAPTURE(text::visible(word));
    const auto outcome =
        cudaenv::sys::run({.arguments = {"sh", "-c", "printf '%s' " + text::shell_quoted(word)},
                           .environment = {},
                           .directory = {},
                           .input = {}},
                          cudaenv::NoInterrupt());
    CHECK(outcome.ok());
    CHECK(outcome.out == word);
  }
}

TEST_CASE("sizes are powers of 1000 with one decimal") {
  CHECK(text::bytes(0) == "0 B");
  CHECK(text::bytes(999) == "999 B");
  CHECK(text::bytes(1000) == "1.0 kB");
  CHECK(text::bytes(1234) == "1.2 kB");
  CHECK(text::bytes(3'400'000) == "3.4 MB");
  CHECK(text::bytes(999'949) == "999.9 kB");
  CHECK(text::bytes(999'950) == "1.0 MB");
  CHECK(text::bytes(std::numeric_limits<std::uint64_t>::max()) == "18.4 EB");
}

TEST_CASE("one thing is singular, none and several are plural") {
  CHECK(text::counted(0, "file") == "0 files");
  CHECK(text::counted(1, "file") == "1 file");
  CHECK(text::counted(2, "file") == "2 files");
  CHECK(text::counted(1, "library") == "1 library");
  CHECK(text::counted(0, "NVIDIA library") == "0 NVIDIA libraries");
}

TEST_CASE("UTF-8 is told from other bytes") {
  for (const char* text : {"", "plain\n", "\xC3\xA4", "\xC2\x85", "\xF0\x9F\x98\x80"}) {
    CHECK(text::is_utf8(text));
  }
  for (const char* text :
       {"\xFF", "a\xC3", "\xC3(", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    CHECK_FALSE(text::is_utf8(text));
  }
}
