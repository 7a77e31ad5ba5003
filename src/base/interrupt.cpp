#include "base/interrupt.hpp"

#include "base/error.hpp"

namespace cudaenv {

void Interrupt::check() const {
  if (const int signal = requested()) throw Interrupted(signal);
}

}  // namespace cudaenv
