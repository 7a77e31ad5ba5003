#include "sys/companion.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "sys/child_parts.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

namespace cudaenv::sys {
namespace {

constexpr std::array sent_on{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
std::array<struct ::sigaction, sent_on.size()> former;
std::atomic<pid_t> receiver{0};
static_assert(std::atomic<pid_t>::is_always_lock_free,
              "the handler may only touch lock-free atomics");

extern "C" void send_on(int signal, siginfo_t* info, void*) {
  const int code = errno;
  // What the kernel sends comes from the terminal, and to its whole process group.
  if (receiver > 0 && info->si_code <= 0) ::kill(receiver, signal);
  errno = code;
}

sigset_t set_of_sent_on() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : sent_on) ::sigaddset(&set, signal);
  return set;
}

void take_signals() {
  struct ::sigaction action {};
  action.sa_sigaction = send_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < sent_on.size(); ++i) {
    ::sigaction(sent_on[i], nullptr, &former[i]);
    if (former[i].sa_handler != SIG_IGN) ::sigaction(sent_on[i], &action, nullptr);
  }
}

void give_signals_back() {
  receiver = 0;
  for (std::size_t i = 0; i < sent_on.size(); ++i) ::sigaction(sent_on[i], &former[i], nullptr);
}

// Our handlers end with exec; a pipe that we ignore must not stay ignored.
int spawn(pid_t& pid, const fs::path& program, std::vector<std::string>& words,
          std::vector<std::string>& pairs, const sigset_t& mask) {
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setsigmask(&attributes, &mask);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const int code = ::posix_spawn(&pid, program.c_str(), nullptr, &attributes,
                                 pointers(words).data(), pointers(pairs).data());
  ::posix_spawnattr_destroy(&attributes);
  return code;
}

}  // namespace

Companion::Companion(std::vector<std::string> words,
                     const std::map<std::string, std::string, std::less<>>& environment) {
  const fs::path program = program_path(words.at(0), environment);
  if (program.empty()) no_such_command(words[0]);
  auto pairs = as_strings(environment);
  // What comes before the receiver is known waits until it is.
  const sigset_t blocked = set_of_sent_on();
  sigset_t mask;
  ::sigprocmask(SIG_BLOCK, &blocked, &mask);
  take_signals();
  pid_t pid = -1;
  const int code = spawn(pid, program, words, pairs, mask);
  if (code == 0) receiver = pid_ = pid;
  if (code != 0) give_signals_back();
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (code != 0) fail(code, "run", program);
}

Companion::~Companion() {
  if (pid_ > 0) {
    ::kill(pid_, SIGTERM);
    wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(2));
  }
  if (pid_ > 0) ::kill(pid_, SIGKILL);
  give_signals_back();
}

std::optional<Ending> Companion::wait_until(std::chrono::steady_clock::time_point then) {
  constexpr int slice = 10;  // milliseconds
  while (!ending_) {
    int status = 0;
    const pid_t done = ::waitpid(pid_, &status, WNOHANG);
    if (done == pid_) {
      receiver = 0;
      pid_ = -1;
      const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      ending_ = Ending{signal ? 128 + signal : WEXITSTATUS(status), signal};
    } else if (std::chrono::steady_clock::now() >= then) {
      return std::nullopt;
    } else {
      ::poll(nullptr, 0, slice);
    }
  }
  return ending_;
}

void die_of(int signal) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(signal, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace cudaenv::sys
