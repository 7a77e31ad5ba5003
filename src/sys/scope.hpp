#pragma once

#include <exception>
#include <utility>

namespace cudaenv::sys {

// Runs a clean-up when the scope is left by an exception; its own failure is swallowed, because
// the first failure is the one to report.
template <typename Action>
class OnFailure {
 public:
  explicit OnFailure(Action action)
      : action_(std::move(action)), pending_(std::uncaught_exceptions()) {}
  OnFailure(const OnFailure&) = delete;
  OnFailure& operator=(const OnFailure&) = delete;
  ~OnFailure() {
    if (std::uncaught_exceptions() <= pending_) return;
    try {
      action_();
    } catch (...) {
    }
  }

 private:
  Action action_;
  int pending_;
};

}  // namespace cudaenv::sys
