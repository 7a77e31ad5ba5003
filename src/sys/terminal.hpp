#pragma once

#include <string>
#include <string_view>

#include "base/interrupt.hpp"

namespace cudaenv::sys {

bool is_terminal(int fd);
// Columns of the terminal behind `fd`, or 80.
unsigned terminal_width(int fd);
// Writes to stderr in one call, past any buffering; failures are ignored.
void write_stderr(std::string_view bytes) noexcept;
// Rows of the terminal behind `fd`, or 24.
unsigned terminal_height(int fd);
// A line typed by the user, without the newline; false at the end of input and when `interrupt`
// asks to stop, also if it does so a moment before the wait begins.
bool read_line(std::string& line, const Interrupt& interrupt);

}  // namespace cudaenv::sys
