#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cudaenv::compat {

// Text as it is compared with phrases: without blanks, escape sequences and backslashes, so that it
// is the same however a log was wrapped, coloured or quoted. Quotes of all kinds are "'".
struct Flow {
  std::string text;
  std::string gaps;  // of the same length; not 0 where a blank or the end of a line came before

  std::size_t size() const { return text.size(); }
  bool gap_at(std::size_t at) const { return at < gaps.size() && gaps[at] != 0; }
  // Whether no word runs on from the byte before `at`.
  bool boundary(std::size_t at) const;
  void erase_front(std::size_t count);

  static Flow of(std::string_view text);
};

// ASCII only: what is not ASCII is compared byte by byte.
char folded(char c);

// Without colours and other sequences that terminals understand.
std::string without_escapes(std::string_view line);

// Without what loggers put before a message: times, "[rank0]:", "stderr F ", "web_1  | ".
std::string_view message_of(std::string_view line);

// Appends a line; `begins` tells that it begins one.
void append(Flow& flow, std::string_view line, bool begins);

}  // namespace cudaenv::compat
