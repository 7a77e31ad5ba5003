#include "steps/tracer.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace cudaenv::test {
namespace {

constexpr int cannot_start = 127;
constexpr int syscall_stop = SIGTRAP | 0x80;  // with PTRACE_O_TRACESYSGOOD

[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(cannot_start);
  ::raise(SIGSTOP);
  ::execvp(words.front(), words.data());
  ::_exit(cannot_start);
}

void go_on(pid_t thread, int signal = 0) {
  // A thread that was killed meanwhile is no longer there to go on.
  ::ptrace(PTRACE_SYSCALL, thread, nullptr, reinterpret_cast<void*>(static_cast<long>(signal)));
}

int shell_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Tracer::Tracer(Before before, After after) : before_(std::move(before)), after_(std::move(after)) {}

void Tracer::start(const std::vector<std::string>& command) {
  child_ = ::fork();
  if (child_ < 0) throw std::runtime_error(std::strerror(errno));
  if (child_ == 0) become(command);
  int status = 0;
  ::waitpid(child_, &status, 0);
  constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                           PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (!WIFSTOPPED(status) ||
      ::ptrace(PTRACE_SETOPTIONS, child_, nullptr, reinterpret_cast<void*>(options)) != 0) {
    throw std::runtime_error("processes may not be traced here");
  }
  go_on(child_);
}

int Tracer::run(const std::vector<std::string>& command) {
  start(command);
  while (true) {
    int status = 0;
    const pid_t thread = ::waitpid(-1, &status, __WALL);
    if (thread < 0 && errno == EINTR) continue;
    if (thread < 0) throw std::runtime_error(std::strerror(errno));
    if (!WIFSTOPPED(status)) {
      under_way_.erase(thread);
      if (thread == child_) return shell_status(status);
      continue;
    }
    const int signal = WSTOPSIG(status);
    if (signal == syscall_stop) {
      on_syscall(thread);
      go_on(thread);
    } else {
      // SIGSTOP is how a new thread begins under a tracer, SIGTRAP tells of a clone or exec.
      go_on(thread, signal == SIGSTOP || signal == SIGTRAP ? 0 : signal);
    }
  }
}

void Tracer::on_syscall(pid_t thread) {
  struct ::__ptrace_syscall_info info {};
  if (::ptrace(PTRACE_GET_SYSCALL_INFO, thread, reinterpret_cast<void*>(sizeof info), &info) <= 0) {
    if (errno == ESRCH) return;
    throw std::runtime_error("the kernel does not tell a tracer about system calls");
  }
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
    const std::uint64_t(&arguments)[6] =
        reinterpret_cast<const std::uint64_t(&)[6]>(info.entry.args);
    auto call = disk_call(thread, info.entry.nr, arguments);
    if (!call) return;
    if (before_(*call)) {
      under_way_.insert_or_assign(thread, *call);
    } else {
      ::kill(child_, SIGKILL);
    }
  } else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
    const auto found = under_way_.find(thread);
    if (found == under_way_.end()) return;
    const DiskCall call = std::move(found->second);
    under_way_.erase(found);
    if (!info.exit.is_error) after_(call);
  }
}

}  // namespace cudaenv::test
