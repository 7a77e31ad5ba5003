#include "install/context.hpp"

namespace cudaenv::install {

sys::LockWait Context::lock_wait() const {
  sys::LockWait wait;
  wait.timeout = lock_timeout;
  wait.interrupt = &interrupt;
  wait.on_wait = [this](std::string_view line) { progress.note(line); };
  return wait;
}

}  // namespace cudaenv::install
