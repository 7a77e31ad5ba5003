#include "model/platform.hpp"

#include <algorithm>

namespace cudaenv {

const std::vector<std::string>& Platform::all() {
  static const std::vector<std::string> names{"linux-x86_64",  "linux-sbsa",     "linux-aarch64",
                                              "linux-ppc64le", "windows-x86_64", "windows-arm64",
                                              "linux-all",     "source"};
  return names;
}

std::optional<Platform> Platform::parse(std::string_view name) {
  const auto& names = all();
  if (std::find(names.begin(), names.end(), name) == names.end()) return std::nullopt;
  return Platform(std::string(name));
}

std::string Platform::target_folder() const {
  if (name_ == "linux-x86_64") return "x86_64-linux";
  if (name_ == "linux-sbsa") return "sbsa-linux";
  if (name_ == "linux-aarch64") return "aarch64-linux";
  if (name_ == "linux-ppc64le") return "ppc64le-linux";
  return {};
}

std::optional<Platform> platform_of(std::string_view machine, bool jetson, unsigned cuda_major) {
  if (machine == "x86_64") return Platform::parse("linux-x86_64");
  if (machine == "ppc64le") return Platform::parse("linux-ppc64le");
  if (machine != "aarch64") return std::nullopt;
  return Platform::parse(jetson && cuda_major < 13 ? "linux-aarch64" : "linux-sbsa");
}

}  // namespace cudaenv
