#include "sys/signals.hpp"

#include <array>
#include <atomic>
#include <signal.h>
#include <unistd.h>

namespace cudaenv::sys {
namespace {

std::atomic<int> pending{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "the handler may only touch lock-free atomics");

constexpr std::array handled{SIGINT, SIGTERM, SIGHUP};
std::array<struct ::sigaction, handled.size()> former;
struct ::sigaction former_pipe;

extern "C" void on_signal(int signal) {
  // The second one means it: no cleaning up.
  if (pending.exchange(signal) != 0) ::_exit(128 + signal);
}

}  // namespace

SignalInterrupt::SignalInterrupt() {
  pending = 0;
  struct ::sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  // Without SA_RESTART a blocking call ends with EINTR and its loop looks at the flag.
  for (std::size_t i = 0; i < handled.size(); ++i) {
    ::sigaction(handled[i], nullptr, &former[i]);
    // nohup and a background job's shell set some to ignored; that is kept.
    if (former[i].sa_handler != SIG_IGN) ::sigaction(handled[i], &action, nullptr);
  }
  struct ::sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &former_pipe);
}

SignalInterrupt::~SignalInterrupt() {
  for (std::size_t i = 0; i < handled.size(); ++i) ::sigaction(handled[i], &former[i], nullptr);
  ::sigaction(SIGPIPE, &former_pipe, nullptr);
}

int SignalInterrupt::requested() const noexcept { return pending; }

}  // namespace cudaenv::sys
