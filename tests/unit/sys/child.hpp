#pragma once

#include <exception>
#include <grp.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace cudaenv::test {

// A second process made of this one: locks, signals and crashes are between processes.
class Child {
 public:
  // Runs `work` in the child; its int result is the exit status, an exception is 99.
  template <typename Work>
  explicit Child(Work&& work) : pid_(::fork()) {
    if (pid_ != 0) return;
    // The test program reports a crash of its own; that of a child is the test's to see.
    for (const int signal : {SIGINT, SIGTERM, SIGSEGV, SIGABRT, SIGFPE, SIGILL}) {
      ::signal(signal, SIG_DFL);
    }
    int status = 99;
    try {
      status = std::forward<Work>(work)();
    } catch (const std::exception&) {
    }
    // Neither the parent's test report nor its temporary folders are ours to finish.
    ::_exit(status);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }

  pid_t pid() const { return pid_; }
  void send(int signal) const { ::kill(pid_, signal); }

  // The exit status, or 128 + signal.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t pid_;
};

template <typename Work>
int in_child(Work&& work) {
  return Child(std::forward<Work>(work)).wait();
}

// A moment to meet: what one side sets with open(), the other waits for.
class Gate {
 public:
  Gate() {
    if (::pipe(ends_) != 0) throw std::exception();
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  void open() const { [[maybe_unused]] const auto n = ::write(ends_[1], "x", 1); }
  void pass() const {
    char byte;
    [[maybe_unused]] const auto n = ::read(ends_[0], &byte, 1);
  }

 private:
  int ends_[2];
};

inline bool is_root() { return ::geteuid() == 0; }

// In a child of root: goes on as nobody.
inline bool become_nobody() {
  return ::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0;
}

}  // namespace cudaenv::test
