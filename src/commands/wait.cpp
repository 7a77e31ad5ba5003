#include "commands/wait.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::commands {

std::chrono::milliseconds lock_timeout(const Host& host) {
  constexpr std::uint64_t half_an_hour = 1800;
  constexpr std::uint64_t a_month = 31 * 24 * 3600;
  return std::chrono::seconds(number_variable(host, "CUDAENV_LOCK_TIMEOUT", half_an_hour, a_month));
}

sys::LockWait lock_wait(const Host& host) {
  sys::LockWait wait;
  wait.timeout = lock_timeout(host);
  wait.interrupt = &host.interrupt;
  wait.on_wait = [&host](std::string_view line) { host.progress.note(line); };
  return wait;
}

sys::FileLock lock_root(const store::Layout& layout, const Host& host) {
  return store::lock_root(layout, lock_wait(host));
}

std::uint64_t number_variable(const Host& host, const char* name, std::uint64_t fallback,
                              std::uint64_t most) {
  const auto value = host.environment.non_empty(name);
  if (!value) return fallback;
  const auto number = text::parse_unsigned(text::trimmed(*value));
  if (!number || *number < 1 || *number > most) {
    throw Error(ErrorKind::usage, fmt::format("{} is `{}`, which is not a number from 1 to {}",
                                              name, text::visible(*value), most));
  }
  return *number;
}

}  // namespace cudaenv::commands
