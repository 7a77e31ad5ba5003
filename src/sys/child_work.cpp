#include "sys/child_work.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"

namespace cudaenv::sys {
namespace {

// The last one may have been cut by the child's end.
std::vector<std::string> whole_lines(std::string_view text) {
  std::vector<std::string> lines;
  const auto end = text.rfind('\n');
  if (end == std::string_view::npos) return lines;
  for (const auto line : text::lines(text.substr(0, end + 1))) lines.emplace_back(line);
  return lines;
}

}  // namespace

void settle(pid_t parent, int said) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signal != SIGKILL && signal != SIGSTOP) ::signal(signal, SIG_DFL);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(null, STDIN_FILENO);
  ::dup2(said, STDOUT_FILENO);
  ::dup2(said, STDERR_FILENO);
}

bool has_ended(pid_t pid) {
  siginfo_t state{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == pid;
}

ChildOutcome conclude(std::string_view report, std::string said, bool ended, int status) {
  ChildOutcome outcome;
  outcome.lines = whole_lines(report);
  outcome.said = std::move(said);
  const bool finished = !outcome.lines.empty() && outcome.lines.back() == end_line;
  if (finished) outcome.lines.pop_back();
  if (!ended) {
    outcome.end = ChildOutcome::End::timed_out;
  } else if (WIFSIGNALED(status)) {
    outcome.end = ChildOutcome::End::crashed;
    outcome.signal = WTERMSIG(status);
  } else if (!finished || WEXITSTATUS(status) != 0) {
    outcome.end = ChildOutcome::End::exited;
    outcome.status = WEXITSTATUS(status);
  }
  return outcome;
}

}  // namespace cudaenv::sys
