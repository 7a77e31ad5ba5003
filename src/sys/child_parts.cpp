#include "sys/child_parts.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/file.hpp"
#include "sys/process.hpp"

namespace cudaenv::sys {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> as_strings(const Variables& variables) {
  std::vector<std::string> result;
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  return result;
}

fs::path program_path(const std::string& name, const Variables& variables) {
  if (name.find('/') != std::string::npos) return name;
  const auto path = variables.find("PATH");
  return find_program(name, path == variables.end() ? "/usr/local/bin:/usr/bin:/bin" : path->second)
      .value_or(fs::path());
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "create a pipe for", "a child process");
  Fd read(ends[0]);
  Fd write(ends[1]);
  return {above_streams(std::move(read)), above_streams(std::move(write))};
}

Fd above_streams(Fd fd) {
  if (fd.get() > STDERR_FILENO) return fd;
  Fd moved(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!moved) fail(errno, "create a pipe for", "a child process");
  return moved;
}

int exec_failure(const Fd& report) {
  int code = 0;
  ssize_t got = 0;
  do {
    got = ::read(report.get(), &code, sizeof code);
  } while (got < 0 && errno == EINTR);
  return got == sizeof code ? code : 0;
}

bool drain(const Fd& fd, std::string& into, std::size_t most) {
  std::array<char, 1 << 16> block;
  const ssize_t got = ::read(fd.get(), block.data(), block.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  const std::size_t room = most - std::min(most, into.size());
  into.append(block.data(), std::min(room, static_cast<std::size_t>(got)));
  return true;
}

bool reap(pid_t pid, int& status, Clock::time_point deadline, const Interrupt& interrupt) {
  while (true) {
    const pid_t done = ::waitpid(pid, &status, WNOHANG);
    if (done == pid) return true;
    if (done < 0 && errno != EINTR) return true;
    if (interrupt.requested() || Clock::now() >= deadline) return false;
    ::poll(nullptr, 0, 2);
  }
}

bool kill_and_reap(pid_t pid, int& status) {
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);
  return reap(pid, status, Clock::now() + std::chrono::seconds(2), NoInterrupt());
}

}  // namespace cudaenv::sys
