#include "model/gpu_reading.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace cudaenv {
namespace throttle {

std::vector<std::string> in_words(std::uint64_t reasons) {
  constexpr std::array<std::pair<std::uint64_t, std::string_view>, 9> names{{
      {idle, "idle"},
      {application_clocks, "clocks set by an administrator"},
      {power_cap, "power cap"},
      {hardware, "hardware slowdown"},
      {sync_boost, "sync boost"},
      {thermal, "too hot"},
      {hardware_thermal, "too hot (hardware)"},
      {power_brake, "power brake"},
      {display_clocks, "clocks set by the display"},
  }};
  std::vector<std::string> words;
  for (const auto& [bit, name] : names) {
    if (reasons & bit) words.emplace_back(name);
    reasons &= ~bit;
  }
  if (reasons != 0) words.push_back(fmt::format("unknown reason {:#x}", reasons));
  return words;
}

}  // namespace throttle

std::optional<std::uint64_t> pcie_capacity(unsigned generation, unsigned width) {
  // Megatransfers a second and lane, by generation; a transfer is a bit.
  constexpr std::array<std::uint64_t, 7> rates{0, 2500, 5000, 8000, 16000, 32000, 64000};
  if (generation == 0 || generation >= rates.size()) return std::nullopt;
  const std::uint64_t bits = rates[generation] * 1'000'000 * width;
  if (generation <= 2) return bits / 10;
  return generation == 6 ? bits / 8 : bits / 8 * 128 / 130;
}

}  // namespace cudaenv
