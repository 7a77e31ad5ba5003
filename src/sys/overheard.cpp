#include "sys/overheard.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "sys/child_parts.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::sys {
namespace {

constexpr std::array handed_on{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

std::atomic<pid_t> listener{0};
static_assert(std::atomic<pid_t>::is_always_lock_free,
              "the handler may only touch lock-free atomics");

extern "C" void hand_on(int signal, siginfo_t* info, void*) {
  // What a terminal sends, its whole foreground group gets: the command has it already.
  const int code = errno;
  const pid_t child = listener;
  if (child > 0 && info->si_code != SI_KERNEL) ::kill(child, signal);
  errno = code;
}

// Signals are the command's while this object lives.
class HandingOn {
 public:
  HandingOn() {
    struct ::sigaction action {};
    action.sa_sigaction = hand_on;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < handed_on.size(); ++i) {
      ::sigaction(handed_on[i], nullptr, &former_[i]);
      if (former_[i].sa_handler != SIG_IGN) ::sigaction(handed_on[i], &action, nullptr);
    }
  }
  HandingOn(const HandingOn&) = delete;
  HandingOn& operator=(const HandingOn&) = delete;
  ~HandingOn() {
    listener = 0;
    for (std::size_t i = 0; i < handed_on.size(); ++i) {
      ::sigaction(handed_on[i], &former_[i], nullptr);
    }
  }

 private:
  std::array<struct ::sigaction, handed_on.size()> former_{};
};

// Signals wait while this object lives.
class Held {
 public:
  Held() {
    sigset_t all;
    ::sigemptyset(&all);
    for (const int signal : handed_on) ::sigaddset(&all, signal);
    ::sigprocmask(SIG_BLOCK, &all, &former_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { ::sigprocmask(SIG_SETMASK, &former_, nullptr); }
  const sigset_t& former() const { return former_; }

 private:
  sigset_t former_;
};

bool is_over(pid_t pid) {
  siginfo_t state{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == pid;
}

// In the child: becomes the command, or reports why not. Only async-signal-safe calls.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         int said, int report, const sigset_t& mask) {
  for (const int signal : handed_on) {
    struct ::sigaction present {};
    if (::sigaction(signal, nullptr, &present) == 0 && present.sa_handler != SIG_IGN) {
      ::signal(signal, SIG_DFL);
    }
  }
  ::signal(SIGPIPE, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (::dup2(said, STDERR_FILENO) >= 0) ::execve(program, arguments, environment);
  const int code = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &code, sizeof code);
  ::_exit(127);
}

pid_t start(const std::vector<std::string>& arguments, const Variables& environment,
            const Fd& said) {
  auto words = arguments;
  auto pairs = as_strings(environment);
  const fs::path program = program_path(words.at(0), environment);
  if (program.empty()) no_such_command(words[0]);
  const auto word_pointers = pointers(words);
  const auto pair_pointers = pointers(pairs);
  Pipe report = make_pipe();
  // A signal between the start and the note of whom to hand it to would be lost.
  const Held held;
  const pid_t child = ::fork();
  if (child < 0) fail(errno, "start", program);
  if (child == 0) {
    become(program.c_str(), word_pointers.data(), pair_pointers.data(), said.get(),
           report.write.get(), held.former());
  }
  listener = child;
  report.write.close();
  const int code = exec_failure(report.read);
  if (code == 0) return child;
  listener = 0;
  ::waitpid(child, nullptr, 0);
  fail(code, "run", program);
}

// Until the stream ends, or the command while a process that it left behind keeps it open.
void listen(const Fd& stream, pid_t pid, const std::function<void(std::string_view)>& hear) {
  std::array<char, 1 << 16> block;
  while (true) {
    const bool over = is_over(pid);  // before the look: nothing of the command comes after it
    pollfd wait{stream.get(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, over ? 0 : 100);
    if (ready == 0 && over) return;
    if (ready <= 0) continue;
    const ssize_t got = ::read(stream.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    const std::string_view piece(block.data(), static_cast<std::size_t>(got));
    // Where nobody reads our stderr any more the command is to meet that, as it would without us.
    if (!write_to(STDERR_FILENO, piece) && errno == EPIPE) return;
    hear(piece);
  }
}

}  // namespace

int run_overheard(const std::vector<std::string>& arguments,
                  const std::map<std::string, std::string, std::less<>>& environment,
                  const std::function<void(std::string_view)>& hear) {
  Pipe said = make_pipe();
  const HandingOn handing_on;
  const pid_t child = start(arguments, environment, said.write);
  said.write.close();
  listen(said.read, child, hear);
  said.read.close();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void read_input(const std::function<void(std::string_view)>& take, const Interrupt& interrupt) {
  std::array<char, 1 << 16> block;
  while (true) {
    interrupt.check();
    pollfd wait{STDIN_FILENO, POLLIN, 0};
    if (::poll(&wait, 1, 200) == 0) continue;
    const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) fail(errno, "read", "standard input");
    if (got == 0) return;
    take({block.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace cudaenv::sys
