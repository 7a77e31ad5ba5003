#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudaenv {

// A platform as NVIDIA's manifests name it. linux-sbsa (Arm servers) and linux-aarch64 (Jetson)
// are different builds and never stand in for each other.
class Platform {
 public:
  // One of the names in `all()`; nothing for anything else.
  static std::optional<Platform> parse(std::string_view name);

  // Every platform that the manifests know, including "linux-all" and "source".
  static const std::vector<std::string>& all();

  const std::string& name() const { return name_; }
  bool is_windows() const { return name_.starts_with("windows-"); }

  // The folder under targets/ in an installed toolkit, e.g. "x86_64-linux"; empty for Windows.
  std::string target_folder() const;

  auto operator<=>(const Platform&) const = default;

 private:
  explicit Platform(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

// The platform of a Linux machine from what uname calls it and whether it is a Jetson (it has a
// Tegra release file). Which Arm build a Jetson takes depends on the toolkit: from CUDA 13 on it
// takes linux-sbsa like a server. Nothing where NVIDIA has no toolkit for the machine.
// Source: data of NVIDIA's manifests, platforms per release.
std::optional<Platform> platform_of(std::string_view machine, bool jetson, unsigned cuda_major);

}  // namespace cudaenv
