#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "model/platform.hpp"
#include "model/version.hpp"

namespace cudaenv {

// One archive as a manifest describes it.
struct Archive {
  std::string path;  // relative to the product's redist folder, never built by rule
  Digest sha256;
  std::uint64_t size = 0;  // bytes

  bool operator==(const Archive&) const = default;
};

// What a component has for one platform: an archive without a variant, archives by variant
// ("cuda12", "cuda13.1"), or, seen once, both.
struct PlatformArchives {
  std::optional<Archive> plain;
  std::map<std::string, Archive> variants;

  // The archive for a CUDA version: the variant of that minor ("cuda13.1"), else of that major
  // ("cuda13"), else the plain one. Nothing where only other CUDA versions are served.
  const Archive* for_cuda(const Version& cuda) const;

  bool operator==(const PlatformArchives&) const = default;
};

struct Component {
  std::string name;     // the manifest's key, e.g. "cuda_nvcc"
  Version version;      // the component's own, not the toolkit's
  std::string license;  // free text; never matched on
  std::map<Platform, PlatformArchives> platforms;

  bool operator==(const Component&) const = default;
};

// What one of NVIDIA's redistrib_<version>.json describes.
struct Release {
  std::string product;  // "cuda", "cudnn", ...: the folder under compute/
  Version version;
  std::string date;                   // ISO, or empty; not monotonic in the version
  std::vector<Component> components;  // sorted by name

  const Component* find(std::string_view component) const;

  bool operator==(const Release&) const = default;
};

// The name of an archive's single top folder: its file name without the archive suffix.
std::string archive_top_folder(std::string_view path);

// The folder of a product's manifests and archives below the host, e.g. "compute/cuda/redist".
std::string redist_folder(std::string_view product);

}  // namespace cudaenv
