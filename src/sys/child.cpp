#include "sys/child.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <poll.h>
#include <unistd.h>

#include "sys/child_parts.hpp"
#include "sys/child_work.hpp"
#include "sys/file.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::sys {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void work_and_exit(const std::function<void(const ChildReport&)>& work, int report) {
  int status = 1;
  try {
    const ChildReport to_parent(report);
    work(to_parent);
    to_parent.line(end_line);
    status = 0;
  } catch (const std::exception& failure) {
    write_to(STDERR_FILENO, failure.what());
  } catch (...) {
    write_to(STDERR_FILENO, "an exception of an unknown type");
  }
  ::_exit(status);
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

}  // namespace

void ChildReport::line(std::string_view text) const { write_to(fd_, std::string(text) + "\n"); }

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

  return conclude(listening.report_text, std::move(listening.said_text), ended, status);
}

}  // namespace cudaenv::sys
