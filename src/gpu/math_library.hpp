#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/kernel_checks.hpp"
#include "gpu/selftest.hpp"

// What the checks of cuBLAS, cuFFT, cuDNN and NCCL have in common.
namespace cudaenv::gpu {

using Status = int;  // 0 is success in each of them

// Throws CheckFailed(library) with the number.
void check_status(Status status, std::string_view doing);

// The toolkit's library, which has_library() has found.
std::filesystem::path toolkit_library(const std::filesystem::path& toolkit, std::string_view name);
// False where the toolkit lacks it, which is told as a skipped check.
bool has_library(Checks& checks, const LevelRequest& request, const std::string& name);

// "12.1.3" of 120103, "11.11.3" of 111103: cuBLAS and NCCL count so, and cuDNN from 9 on.
std::string library_version(int number);

// Whole numbers from -8 to 8, the same on every machine.
template <typename T>
std::vector<T> small_whole(std::size_t count) {
  std::vector<T> values(count);
  std::uint32_t state = 2026;
  for (auto& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<T>(static_cast<int>(state >> 16) % 17 - 8);
  }
  return values;
}

}  // namespace cudaenv::gpu
