#include "sys/process_tree.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace sys = cudaenv::sys;
using Clock = std::chrono::steady_clock;

namespace {

// A child process that does this until it is killed with this object.
class Process {
 public:
  explicit Process(const std::function<void()>& work) : pid_(::fork()) {
    if (pid_ > 0) return;
    ::alarm(60);
    work();
    ::_exit(0);
  }
  ~Process() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }

 private:
  pid_t pid_;
};

void spin() {
  while (true) {
    [[maybe_unused]] const auto now = Clock::now();
  }
}

// Looks until it is as it should be.
bool comes(sys::ProcessTree& tree, const std::function<bool(const sys::TreeLook&)>& wanted) {
  for (const auto end = Clock::now() + std::chrono::seconds(20); Clock::now() < end;) {
    if (wanted(tree.look())) return true;
    ::usleep(20'000);
  }
  return false;
}

}  // namespace

TEST_CASE("a tree has its children and their children, and the CPU time of all") {
  const Process root([] {
    if (::fork() == 0) {
      if (::fork() == 0) spin();
    }
    while (true) ::pause();
  });
  sys::ProcessTree tree(root.pid());
  double total = 0;
  double busiest = 0;
  CHECK(comes(tree, [&](const sys::TreeLook& look) {
    total += look.cpu_seconds;
    busiest += look.busiest_thread;
    return look.pids.size() == 3 && total >= 0.1;
  }));
  CHECK(busiest <= total);
  CHECK(busiest > 0.05);
  const auto look = tree.look();
  // One each, and one more under the thread sanitizer.
  std::size_t threads = 0;
  for (const auto pid : look.pids) {
    const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(pid) + "/task");
    threads += static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
  }
  CHECK(threads >= 3);
  CHECK(look.threads == threads);
  CHECK(look.pids.contains(root.pid()));
  for (const auto pid : look.pids) {
    if (pid != root.pid()) ::kill(static_cast<pid_t>(pid), SIGKILL);
  }
}

TEST_CASE("a process that waits has no CPU time; one that ended is gone") {
  std::uint32_t pid = 0;
  {
    const Process idle([] {
      while (true) ::pause();
    });
    pid = idle.pid();
    sys::ProcessTree tree(pid);
    tree.look();
    CHECK(tree.look().cpu_seconds == 0);
    ::kill(static_cast<pid_t>(pid), SIGKILL);
    CHECK(comes(tree, [](const sys::TreeLook& look) { return look.pids.empty(); }));  // a zombie
  }
  CHECK(sys::ProcessTree(pid).look().pids.empty());
}
