#include "sys/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/child_parts.hpp"
#include "sys/child_work.hpp"
#include "sys/environment.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace cudaenv::sys {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t most_output = 64u << 20;

// In the child: only async-signal-safe calls. Reports errno through `report` when exec fails, and
// its negative where the folder is the reason.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         const char* directory, std::array<int, 3> streams, int report) {
  ::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  for (int target = 0; target < 3; ++target) {
    if (::dup2(streams[static_cast<std::size_t>(target)], target) < 0) ::_exit(127);
  }
  int code = 0;
  if (*directory != '\0' && ::chdir(directory) != 0) {
    code = -errno;
  } else {
    ::execve(program, arguments, environment);
    code = errno;
  }
  [[maybe_unused]] const ssize_t written = ::write(report, &code, sizeof code);
  ::_exit(127);
}

struct Child {
  pid_t pid = -1;
  Pipe out;
  Pipe err;
  Pipe in;
};

// Nothing where the kernel refuses to run the program; `refusal` is then the errno.
std::optional<Child> start(const Command& command, const fs::path& program,
                           const Variables& variables, int& refusal) {
  Child child{-1, make_pipe(), make_pipe(), make_pipe()};
  Pipe report = make_pipe();
  auto arguments = command.arguments;
  auto environment = as_strings(variables);
  const auto argument_pointers = pointers(arguments);
  const auto environment_pointers = pointers(environment);
  const std::string directory = command.directory.string();
  const Fd null = above_streams(open_read("/dev/null"));
  const int input = command.input.empty() ? null.get() : child.in.read.get();

  child.pid = ::fork();
  if (child.pid < 0) fail(errno, "start", program);
  if (child.pid == 0) {
    become(program.c_str(), argument_pointers.data(), environment_pointers.data(),
           directory.c_str(), {input, child.out.write.get(), child.err.write.get()},
           report.write.get());
  }
  child.out.write.close();
  child.err.write.close();
  child.in.read.close();
  report.write.close();
  refusal = exec_failure(report.read);
  if (refusal == 0) return child;
  ::waitpid(child.pid, nullptr, 0);
  if (refusal < 0) fail(-refusal, "enter the folder", command.directory);
  return std::nullopt;
}

// write(2), but a reader that is gone is an error and no signal, whatever SIGPIPE is set to.
ssize_t write_without_signal(int fd, const void* data, std::size_t size) {
  sigset_t pipe_signal;
  sigset_t former;
  ::sigemptyset(&pipe_signal);
  ::sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &former);
  const ssize_t written = ::write(fd, data, size);
  const int code = errno;
  const timespec no_time{};
  if (written < 0 && code == EPIPE) ::sigtimedwait(&pipe_signal, nullptr, &no_time);
  ::pthread_sigmask(SIG_SETMASK, &former, nullptr);
  errno = code;
  return written;
}

// Feeds the child's stdin as far as it takes; closes it at the end.
void feed(Fd& fd, std::string_view& input) {
  const ssize_t written =
      write_without_signal(fd.get(), input.data(), std::min<std::size_t>(input.size(), 4096));
  if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
  if (input.empty() || (written < 0 && errno != EINTR && errno != EAGAIN)) fd.close();
}

// True when both output streams ended, or the command while a process that it left behind keeps
// them open; false when time was over.
bool talk(Child& child, std::string_view input, Outcome& outcome, Clock::time_point deadline,
          const Interrupt& interrupt) {
  if (input.empty()) child.in.write.close();
  while (child.out.read || child.err.read) {
    if (interrupt.requested()) {
      int status = 0;
      kill_and_reap(child.pid, status);
      interrupt.check();
    }
    if (Clock::now() >= deadline) return false;
    const bool over = has_ended(child.pid);  // before the look: nothing of the command comes later
    std::array<pollfd, 3> waits{pollfd{child.out.read.get(), POLLIN, 0},
                                pollfd{child.err.read.get(), POLLIN, 0},
                                pollfd{child.in.write.get(), POLLOUT, 0}};
    const int ready = ::poll(waits.data(), waits.size(), over ? 0 : 50);
    if (ready == 0 && over) return true;
    if (ready <= 0) continue;
    if (waits[0].revents && !drain(child.out.read, outcome.out, most_output))
      child.out.read.close();
    if (waits[1].revents && !drain(child.err.read, outcome.err, most_output))
      child.err.read.close();
    if (waits[2].revents) feed(child.in.write, input);
  }
  return true;
}

// The kernel says ENOENT for what a file names, too.
std::string refusal_words(const fs::path& program, int code) {
  if (code != ENOENT) return text::lower(std::strerror(code));
  return stat_target(program) ? "the interpreter that it names is not there"
                              : "it is a link to what is not there";
}

// What a process runs and its parent, by its folder in /proc.
std::optional<std::pair<RunningProgram, pid_t>> seen_in(const fs::path& folder) {
  std::array<char, 512> text;
  const Fd fd(::open((folder / "stat").c_str(), O_RDONLY | O_CLOEXEC));
  const auto length = fd ? ::read(fd.get(), text.data(), text.size()) : -1;
  if (length <= 0) return std::nullopt;
  // "17 (name) S 16 ...", and a name may hold anything, parentheses too.
  const std::string_view stat(text.data(), static_cast<std::size_t>(length));
  const auto open = stat.find('(');
  const auto close = stat.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  RunningProgram program{"", std::string(stat.substr(open + 1, close - open - 1))};
  std::array<char, 4096> target;
  const auto size = ::readlink((folder / "exe").c_str(), target.data(), target.size());
  if (size > 0) {
    // An upgrade has put another file in its place.
    constexpr std::string_view replaced = " (deleted)";
    std::string_view path(target.data(), static_cast<std::size_t>(size));
    if (path.ends_with(replaced)) path.remove_suffix(replaced.size());
    program.file = fs::path(path).filename().string();
  }
  const auto fields = text::split(stat.substr(close + 1), ' ');  // "", state, parent
  const auto parent = fields.size() > 2 ? text::parse_unsigned(fields[2]) : std::nullopt;
  return std::pair(std::move(program), static_cast<pid_t>(parent.value_or(0)));
}

}  // namespace

Outcome run(const Command& command, const Interrupt& interrupt) {
  const Variables variables =
      command.environment ? *command.environment : Environment::of_process().variables();
  const fs::path program = program_path(command.arguments.at(0), variables);
  Outcome outcome;
  if (program.empty() || !sys::exists(program)) {
    outcome.not_found = true;
    outcome.status = 127;
    return outcome;
  }
  int refusal = 0;
  auto child = start(command, program, variables, refusal);
  if (!child) {
    outcome.refused = true;
    outcome.status = 126;
    outcome.err = fmt::format("cannot run `{}`: {}", text::visible(program.string(), 1000),
                              refusal_words(program, refusal));
    return outcome;
  }
  const auto deadline = Clock::now() + command.timeout;
  int status = 0;
  const bool ended = talk(*child, command.input, outcome, deadline, interrupt) &&
                     reap(child->pid, status, deadline, interrupt);
  if (!ended) {
    kill_and_reap(child->pid, status);
    interrupt.check();
    outcome.timed_out = true;
  }
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.status = outcome.signal ? 128 + outcome.signal : WEXITSTATUS(status);
  return outcome;
}

void replace_process(const std::vector<std::string>& arguments, const Variables& environment) {
  auto words = arguments;
  auto pairs = as_strings(environment);
  const fs::path program = program_path(words.at(0), environment);
  if (program.empty()) no_such_command(words[0]);
  // Handlers end with us, but an ignored signal stays ignored: `yes | head -1` would print an
  // error.
  const auto former = ::signal(SIGPIPE, SIG_DFL);
  ::execve(program.c_str(), pointers(words).data(), pointers(pairs).data());
  const int code = errno;
  ::signal(SIGPIPE, former);
  fail(code, "run", program);
}

void no_such_command(const std::string& word) {
  throw Error(ErrorKind::missing, fmt::format("`{}` is not a command", text::visible(word)))
      .because("no folder of PATH has an executable file of that name");
}

std::optional<fs::path> find_program(std::string_view name, std::string_view path) {
  if (name.empty()) return std::nullopt;
  for (const auto folder : text::split(path, ':')) {
    const fs::path candidate = (folder.empty() ? fs::path(".") : fs::path(folder)) / name;
    struct ::stat raw;
    if (::stat(candidate.c_str(), &raw) == 0 && S_ISREG(raw.st_mode) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::vector<RunningProgram> programs_above() {
  constexpr std::size_t most = 8;
  std::vector<RunningProgram> programs;
  pid_t process = ::getppid();
  while (process > 0 && programs.size() < most) {
    const fs::path folder = fs::path("/proc") / std::to_string(process);
    const auto program = seen_in(folder);
    if (!program) break;
    programs.push_back(program->first);
    process = program->second;
  }
  return programs;
}

}  // namespace cudaenv::sys
