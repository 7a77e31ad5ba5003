#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/interrupt.hpp"

namespace cudaenv::sys {

bool is_terminal(int fd);
// Columns of the terminal behind `fd`, or 80.
unsigned terminal_width(int fd);
// Writes past any buffering. False where not all was taken; errno then says why.
bool write_to(int fd, std::string_view bytes) noexcept;
// The same, to stderr; failures are ignored.
void write_stderr(std::string_view bytes) noexcept;
// Rows of the terminal behind `fd`, or 24.
unsigned terminal_height(int fd);
// A line typed by the user, without the newline; false at the end of input and when `interrupt`
// asks to stop, also if it does so a moment before the wait begins.
bool read_line(std::string& line, const Interrupt& interrupt);

// Waits until then, or until `interrupt` asks to stop.
void wait_until(std::chrono::steady_clock::time_point then, const Interrupt& interrupt);

// While it lives, keys that are typed come at once and are not shown, and Ctrl-Z does nothing;
// Ctrl-C still interrupts. Without a terminal on stdin no key ever comes.
class KeyInput {
 public:
  KeyInput();
  ~KeyInput();
  KeyInput(const KeyInput&) = delete;
  KeyInput& operator=(const KeyInput&) = delete;

  // A key that is typed within this time, the byte of it.
  std::optional<char> wait(std::chrono::milliseconds time);

 private:
  struct Former;
  std::unique_ptr<Former> former_;  // how the terminal was set; empty: there is none
};

}  // namespace cudaenv::sys
