#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace cudaenv {

// In what a matrix product is reckoned; sums are in 32 bits.
enum class Arithmetic { fp32, tf32, bf16 };
inline constexpr std::array arithmetics{Arithmetic::fp32, Arithmetic::tf32, Arithmetic::bf16};
std::string_view name_of(Arithmetic arithmetic);  // "tf32"

// A figure for each; nothing: not known, or the chip has no units for it.
struct ByArithmetic {
  std::optional<double> fp32;
  std::optional<double> tf32;
  std::optional<double> bf16;

  const std::optional<double>& of(Arithmetic arithmetic) const;
};

}  // namespace cudaenv
