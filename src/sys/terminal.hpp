#pragma once

#include <string>
#include <string_view>

namespace cudaenv::sys {

bool is_terminal(int fd);
// Columns of the terminal behind `fd`, or 80.
unsigned terminal_width(int fd);
// Writes to stderr in one call, past any buffering; failures are ignored.
void write_stderr(std::string_view bytes) noexcept;
// A line typed by the user, without the newline; false at the end of input.
bool read_line(std::string& line);

}  // namespace cudaenv::sys
