#include "sys/terminal.hpp"

#include <cerrno>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cudaenv::sys {

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

unsigned terminal_width(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void write_stderr(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool read_line(std::string& line) {
  line.clear();
  char c = 0;
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, &c, 1);
    // A signal ends the question: Ctrl-C at a prompt is an answer.
    if (got < 0) return false;
    if (got == 0) return !line.empty();
    if (c == '\n') return true;
    if (line.size() < 4096) line += c;
  }
}

}  // namespace cudaenv::sys
