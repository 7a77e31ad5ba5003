#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/platform.hpp"
#include "model/release.hpp"
#include "model/version.hpp"

namespace cudaenv::catalog {

enum class Profile { minimal, runtime, dev, full };
std::optional<Profile> parse_profile(std::string_view name);
std::string_view name_of(Profile profile);

// Which of a component's files a prefix takes.
enum class Filter {
  all,
  no_static,     // without lib*.a (but those that nvcc itself links: cudart_static, cudadevrt,
                 // culibos)
  runtime_only,  // shared libraries, and of the compiler what frameworks call: ptxas, nvvm, ...
};

// What the project knows of a component, from manifests/components.json.
struct ComponentInfo {
  std::string name;          // "cuda_nvcc"
  std::string summary;       // one line
  bool driver_side = false;  // driver or fabric software: only when named
  bool windows_only = false;
  std::string wheel;                      // "nvidia-cuda-nvcc", without -cuNN; empty: no wheel
  std::string wheel_extra;                // of cuda-toolkit: "nvcc"; empty: none
  std::vector<std::string> former_names;  // "cccl" was "cuda_cccl"
};
// By its name or a former one; null where the table has no such component.
const ComponentInfo* component_info(std::string_view name);
const std::vector<ComponentInfo>& all_components();

// One part of what a profile asks of a release.
struct Wanted {
  std::string component;
  bool essential = false;  // without it the profile cannot do its job
};

struct Resolution {
  std::vector<Wanted> components;    // that exist for this release and platform, sorted by name
  std::vector<std::string> lacking;  // extras that the release or platform lacks
  std::vector<std::string> lacking_essential;  // essential parts that it lacks
};

// What `profile` means for this release on this platform: renames (cuda_cccl, cccl) and splits
// (13.0: cuda_crt, libnvvm, ... left cuda_nvcc) are applied. A component that no release of this
// age, or none for this platform, has is not "lacking". Of components that the table does not know
// `full` takes what there is; no other profile does.
Resolution resolve_profile(Profile profile, const Release& release, const Platform& platform);

// The essential parts of a profile for a CUDA version, whatever a release offers.
std::vector<std::string> essential_components(Profile profile, const Version& cuda);

// A component as a user may name it ("nvcc", "cudart", "libcublas", "cublas", "cuda_cccl" for a
// release that calls it "cccl"): its name in `release`, or nothing.
std::optional<std::string> find_component(std::string_view typed, const Release& release);

// Whether a file of `component`, by its path in the prefix, is taken under `filter`.
bool takes(Filter filter, std::string_view component, std::string_view path);
Filter filter_of(Profile profile, bool no_static);

// A library with its own release series that goes into a prefix: one row of the table.
struct AddOn {
  std::string name;       // "cudnn"
  std::string product;    // "cudnn": the folder under compute/
  std::string component;  // the archive that is installed: "cudnn"
  std::string wheel;      // "nvidia-cudnn": + "-cu" + CUDA major
  std::string summary;
  // Where its archives lie, if not in redist_folder(product) of NVIDIA's host: an URL.
  std::string base;
};
const AddOn* add_on(std::string_view name);
const std::vector<AddOn>& all_add_ons();

}  // namespace cudaenv::catalog
