#include "sys/terminal.hpp"

#include <cerrno>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cudaenv::sys {

namespace {

// SIGINT, SIGTERM and SIGHUP wait while this object lives.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
    ::pthread_sigmask(SIG_BLOCK, &set, &former_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

  const sigset_t* former() const { return &former_; }

 private:
  sigset_t former_;
};

}  // namespace

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

unsigned terminal_width(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

unsigned terminal_height(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return 24;
}

void write_stderr(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool read_line(std::string& line, const Interrupt& interrupt) {
  line.clear();
  // Signals are let in only while ppoll waits: one that comes between the look at the flag and
  // the wait would not end it otherwise.
  const BlockedSignals blocked;
  while (!interrupt.requested()) {
    pollfd wait{STDIN_FILENO, POLLIN, 0};
    const int ready = ::ppoll(&wait, 1, nullptr, blocked.former());
    if (ready < 0 && errno == EINTR) continue;
    char c = 0;
    if (ready < 0 || ::read(STDIN_FILENO, &c, 1) <= 0) return !line.empty();
    if (c == '\n') return true;
    if (line.size() < 4096) line += c;
  }
  return false;
}

}  // namespace cudaenv::sys
