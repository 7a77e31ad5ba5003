#include "sys/terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
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

bool write_to(int fd, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void write_stderr(std::string_view bytes) noexcept { write_to(STDERR_FILENO, bytes); }

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

void wait_until(std::chrono::steady_clock::time_point then, const Interrupt& interrupt) {
  constexpr std::chrono::milliseconds slice(50);
  while (!interrupt.requested()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        then - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    ::poll(nullptr, 0, static_cast<int>(std::min(left, slice).count()));
  }
}

struct KeyInput::Former {
  termios settings;
};

KeyInput::KeyInput() {
  Former former{};
  if (::tcgetattr(STDIN_FILENO, &former.settings) != 0) return;
  termios settings = former.settings;
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  settings.c_cc[VSUSP] = _POSIX_VDISABLE;
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0) {
    former_ = std::make_unique<Former>(former);
  }
}

KeyInput::~KeyInput() {
  if (former_) ::tcsetattr(STDIN_FILENO, TCSANOW, &former_->settings);
}

std::optional<char> KeyInput::wait(std::chrono::milliseconds time) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const int ready =
      ::poll(former_ ? &input : nullptr, former_ ? 1 : 0, static_cast<int>(time.count()));
  char key = 0;
  if (ready <= 0) return std::nullopt;
  if (::read(STDIN_FILENO, &key, 1) == 1) return key;
  former_.reset();  // the terminal is gone
  return std::nullopt;
}

}  // namespace cudaenv::sys
