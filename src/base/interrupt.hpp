#pragma once

namespace cudaenv {

// Whether someone asked us to stop. Polled by everything that can take long: a transfer's
// callback, each block of an archive, a wait for a lock. Safe to call from any thread.
class Interrupt {
 public:
  virtual ~Interrupt() = default;

  // The signal that asked, or 0.
  virtual int requested() const noexcept = 0;

  // Throws Interrupted if someone asked.
  void check() const;
};

// Never asks. For tests and for work that must finish.
class NoInterrupt final : public Interrupt {
 public:
  int requested() const noexcept override { return 0; }
};

}  // namespace cudaenv
