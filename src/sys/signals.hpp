#pragma once

#include "base/interrupt.hpp"

namespace cudaenv::sys {

// SIGINT, SIGTERM and SIGHUP set a flag while this object lives; a second one ends the process
// at once (128 + signal). SIGPIPE is ignored, so that a closed pipe is a write error. One at a
// time.
class SignalInterrupt final : public Interrupt {
 public:
  SignalInterrupt();
  ~SignalInterrupt() override;
  SignalInterrupt(const SignalInterrupt&) = delete;
  SignalInterrupt& operator=(const SignalInterrupt&) = delete;

  int requested() const noexcept override;
};

}  // namespace cudaenv::sys
