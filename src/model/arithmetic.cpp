#include "model/arithmetic.hpp"

namespace cudaenv {

std::string_view name_of(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::fp32:
      return "fp32";
    case Arithmetic::tf32:
      return "tf32";
    case Arithmetic::bf16:
      return "bf16";
  }
  return "fp32";
}

const std::optional<double>& ByArithmetic::of(Arithmetic arithmetic) const {
  switch (arithmetic) {
    case Arithmetic::tf32:
      return tf32;
    case Arithmetic::bf16:
      return bf16;
    case Arithmetic::fp32:
      break;
  }
  return fp32;
}

}  // namespace cudaenv
