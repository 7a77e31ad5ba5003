#include "sys/answering_child.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/child_parts.hpp"
#include "sys/child_work.hpp"
#include "sys/file.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::sys {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::string_view answer_end = "\n\x04\n";  // end_line, and the end of the line before

// False when nobody is left who could ask.
bool read_question(int fd, std::string& question) {
  question.clear();
  while (true) {
    char c = 0;
    const ssize_t got = ::read(fd, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    if (c == '\n') return true;
    question += c;
  }
}

[[noreturn]] void answer_until_left(const AnsweringChild::Answer& answer, int questions,
                                    int report) {
  const ChildReport to_parent(report);
  std::string question;
  try {
    while (read_question(questions, question)) {
      answer(question, to_parent);
      to_parent.line(end_line);
    }
    ::_exit(0);
  } catch (const std::exception& failure) {
    write_to(STDERR_FILENO, failure.what());
  } catch (...) {
    write_to(STDERR_FILENO, "an exception of an unknown type");
  }
  ::_exit(1);
}

bool send_line(const Fd& fd, std::string_view question) {
  const std::string line = std::string(question) + "\n";
  ssize_t sent = 0;
  do {
    sent = ::send(fd.get(), line.data(), line.size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(line.size());
}

}  // namespace

AnsweringChild::AnsweringChild(Answer answer) : answer_(std::move(answer)) {}

AnsweringChild::~AnsweringChild() {
  int status = 0;
  if (pid_ > 0) kill_and_reap(pid_, status);
}

ChildOutcome AnsweringChild::ask(std::string_view question, const ChildLimit& limit,
                                 const Interrupt& interrupt) {
  const auto deadline = Clock::now() + limit.time;
  if (pid_ < 0) start();
  report_text_.clear();
  report_end_ = "\n";
  said_text_.clear();
  // One that died since its last answer fails here, or at the end of its report.
  const bool answered =
      send_line(questions_, question) && listen(deadline, limit.report_bytes, interrupt);
  interrupt.check();
  if (answered) return conclude(report_text_, std::move(said_text_), true, 0);
  int status = 0;
  const bool ended = reap(pid_, status, deadline, interrupt);
  if (!ended) kill_and_reap(pid_, status);
  pid_ = -1;
  pollfd wait{said_.get(), POLLIN, 0};
  if (said_ && ::poll(&wait, 1, 0) > 0) drain(said_, said_text_, most_said);
  return conclude(report_text_, std::move(said_text_), ended, status);
}

void AnsweringChild::start() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail(errno, "create a socket for", "a child process");
  }
  Fd ours(ends[0]);
  Fd theirs(ends[1]);
  ours = above_streams(std::move(ours));
  theirs = above_streams(std::move(theirs));
  Pipe report = make_pipe();
  Pipe said = make_pipe();
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) fail(errno, "start", "a child process");
  if (pid_ == 0) {
    ours.close();  // else it would never see that nobody asks any more
    settle(parent, said.write.get());
    answer_until_left(answer_, theirs.get(), report.write.get());
  }
  questions_ = std::move(ours);
  report_ = std::move(report.read);
  said_ = std::move(said.read);
}

// Until the answer's last line; false where it does not come.
bool AnsweringChild::listen(Clock::time_point deadline, std::size_t most_report,
                            const Interrupt& interrupt) {
  while (!interrupt.requested() && Clock::now() < deadline) {
    const bool ended = has_ended(pid_);  // before the look at the pipes: nothing comes after it
    std::array<pollfd, 2> waits{pollfd{report_.get(), POLLIN, 0}, pollfd{said_.get(), POLLIN, 0}};
    const int ready = ::poll(waits.data(), waits.size(), ended ? 0 : 20);
    if (waits[1].revents && !drain(said_, said_text_, most_said)) said_.close();
    if (waits[0].revents) {
      if (!take_report(most_report)) return false;
      if (report_end_ == answer_end) return true;
    }
    if (ready == 0 && ended) return false;
  }
  return false;
}

// What is there of the report; false at its end, and where it is longer than it may be.
bool AnsweringChild::take_report(std::size_t most_report) {
  std::string block;
  if (!drain(report_, block, std::string::npos)) return false;
  report_text_ += block;
  report_end_ += block;
  if (report_end_.size() > answer_end.size()) {
    report_end_.erase(0, report_end_.size() - answer_end.size());
  }
  return report_text_.size() <= most_report;
}

}  // namespace cudaenv::sys
