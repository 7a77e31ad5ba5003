#include "gpu/math_library.hpp"

#include <fmt/format.h>

namespace cudaenv::gpu {

void check_status(Status status, std::string_view doing) {
  if (status == 0) return;
  throw CheckFailed({Layer::library, status, "", fmt::format("{} failed", doing)});
}

std::filesystem::path toolkit_library(const std::filesystem::path& toolkit, std::string_view name) {
  auto file = find_library(toolkit, name);
  if (file.empty()) {
    throw CheckFailed({Layer::library, 0, "", fmt::format("the toolkit has no lib{}", name)});
  }
  return file;
}

bool has_library(Checks& checks, const LevelRequest& request, const std::string& name) {
  if (!find_library(request.toolkit, name).empty()) return true;
  checks.run(name, [&]() -> std::string {
    throw CheckSkipped(fmt::format("the toolkit has no lib{}", name));
  });
  return false;
}

std::string library_version(int number) {
  return fmt::format("{}.{}.{}", number / 10000, number % 10000 / 100, number % 100);
}

}  // namespace cudaenv::gpu
