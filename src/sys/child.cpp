#include "sys/child.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "sys/child_parts.hpp"
#include "sys/file.hpp"

namespace cudaenv::sys {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t most_said = 4096;
// The last line of work that came to its end: exit(0) in a library must not pass for it.
constexpr std::string_view end_line = "\x04";

void write_text(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// In the child: nothing of the parent's terminal, handlers and limits reaches what is loaded here.
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

[[noreturn]] void work_and_exit(const std::function<void(const ChildReport&)>& work, int report) {
  int status = 1;
  try {
    const ChildReport to_parent(report);
    work(to_parent);
    to_parent.line(end_line);
    status = 0;
  } catch (const std::exception& failure) {
    write_text(STDERR_FILENO, failure.what());
  } catch (...) {
    write_text(STDERR_FILENO, "an exception of an unknown type");
  }
  ::_exit(status);
}

// Whether the child is dead, leaving its status to be taken.
bool has_ended(pid_t pid) {
  siginfo_t state{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == pid;
}

struct Listening {
  Pipe report;
  Pipe said;
  std::string report_text;
  std::string said_text;

  // Until the report ends, or the child while somebody else holds its pipes open.
  void until(Clock::time_point deadline, pid_t pid, std::size_t most_report,
             const Interrupt& interrupt) {
    while (!interrupt.requested() && Clock::now() < deadline) {
      const bool ended = has_ended(pid);  // before the look at the pipes: nothing comes after it
      std::array<pollfd, 2> waits{pollfd{report.read.get(), POLLIN, 0},
                                  pollfd{said.read.get(), POLLIN, 0}};
      const int ready = ::poll(waits.data(), waits.size(), ended ? 0 : 20);
      if (waits[1].revents && !drain(said.read, said_text, most_said)) said.read.close();
      if (waits[0].revents && !drain(report.read, report_text, most_report)) return;
      if (ready == 0 && ended) return;
    }
  }

  // What was printed between the last line of the report and the end.
  void rest() {
    pollfd wait{said.read.get(), POLLIN, 0};
    if (said.read && ::poll(&wait, 1, 0) > 0) drain(said.read, said_text, most_said);
  }
};

// The whole lines; the last one may have been cut by the child's end.
std::vector<std::string> whole_lines(std::string_view text) {
  std::vector<std::string> lines;
  const auto end = text.rfind('\n');
  if (end == std::string_view::npos) return lines;
  for (const auto line : text::lines(text.substr(0, end + 1))) lines.emplace_back(line);
  return lines;
}

}  // namespace

void ChildReport::line(std::string_view text) const { write_text(fd_, std::string(text) + "\n"); }

ChildOutcome run_in_child(const std::function<void(const ChildReport&)>& work,
                          const ChildLimit& limit, const Interrupt& interrupt) {
  Listening listening{make_pipe(), make_pipe(), {}, {}};
  const auto deadline = Clock::now() + limit.time;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) fail(errno, "start", "a child process");
  if (child == 0) {
    settle(parent, listening.said.write.get());
    work_and_exit(work, listening.report.write.get());
  }
  listening.report.write.close();
  listening.said.write.close();
  listening.until(deadline, child, limit.report_bytes, interrupt);
  int status = 0;
  const bool ended = reap(child, status, deadline, interrupt);
  if (!ended) kill_and_reap(child, status);
  interrupt.check();
  listening.rest();

  ChildOutcome outcome;
  outcome.lines = whole_lines(listening.report_text);
  outcome.said = std::move(listening.said_text);
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
