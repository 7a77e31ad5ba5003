#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "model/platform.hpp"
#include "model/version.hpp"

namespace cudaenv::catalog {

// "nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl" in parts.
struct WheelName {
  std::string distribution;       // normalised: "nvidia-cuda-nvcc"
  std::string version;            // as written: "11.8.89.post1"
  std::vector<std::string> tags;  // platform tags

  // Whether one of the tags is for the platform. Wheels for aarch64 are the builds for Arm
  // servers, so linux-aarch64 (Jetson) takes none of them.
  bool fits(const Platform& platform) const;
};
std::optional<WheelName> parse_wheel_name(std::string_view file_name);

// PEP 503: lower case, runs of '-', '_', '.' become one '-'.
std::string normalised_distribution(std::string_view name);

// The wheel of a component for a CUDA major: "nvidia-cuda-nvcc-cu12", from 13 on without a suffix;
// an add-on keeps the suffix. Former names count. Nothing where the tables know no wheel.
std::optional<std::string> wheel_of(std::string_view component, unsigned cuda_major);

// And back: "nvidia-cuda-runtime-cu12" -> "cuda_cudart"; add-ons too ("nvidia-cudnn-cu12" ->
// "cudnn"). The name is the newest one ("cccl"): find_component() knows what a release calls it.
std::optional<std::string> component_of_wheel(std::string_view distribution);

// The number of a component's wheel without Python's additions: "11.8.89.post1" -> 11.8.89.
// Nothing for a pre-release or development build.
std::optional<Version> wheel_component_version(std::string_view version);

// The CUDA release that a version of the cuda-toolkit meta package stands for: its first three
// numbers ("13.0.3.0" -> 13.0.3); nothing for other shapes.
std::optional<Version> toolkit_release(std::string_view version);

// One wheel as pip's installation report (`pip install --dry-run --report`) names it.
struct ReportedWheel {
  std::string distribution;  // normalised
  std::string version;
  std::string url;               // http, https or file; may hold credentials
  std::optional<Digest> sha256;  // pip knows none for a file of a local folder
};
// Throws Error(corrupt) naming the place in the report.
std::vector<ReportedWheel> parse_pip_report(std::string_view json);

// The versions in what `pip index versions cuda-toolkit` prints, as releases, ascending.
std::vector<Version> parse_pip_versions(std::string_view output);

// Requirements of a meta wheel's METADATA: extra -> distribution -> version
// ("nvcc" -> "nvidia-cuda-nvcc" -> "13.0.88"), for Linux. "==13.0.88.*" gives 13.0.88, and a range
// its lower end (">=13.5.37,<14" gives 13.5.37), which is what that release was built with.
// `machine` ("x86_64", "aarch64") decides markers on the machine; empty: any machine.
std::map<std::string, std::map<std::string, std::string>> parse_requirements(
    std::string_view metadata, std::string_view machine = "");

// Where the files of a component's wheel go in the prefix, in the layout of NVIDIA's archives,
// one answer for each of `paths` (a wheel's members): "nvidia/cuda_nvcc/bin/ptxas" and
// "nvidia/cu13/bin/ptxas" -> "bin/ptxas"; the sanitizer's tree goes to compute-sanitizer/, the
// licence to LICENSE; __init__.py, .dist-info and build leftovers (.metadata/) go nowhere
// (nothing). Answers are distinct, relative and free of ".."; a hostile path goes nowhere. Needs
// all members at once, since the sanitizer's wheel has had two layouts (until 13.3 bin/ and lib/,
// then the archives' own) in which one path means two things.
// Throws Error(corrupt) where two members claim one place.
std::vector<std::optional<std::string>> wheel_places(std::string_view component,
                                                     const std::vector<std::string>& paths);

// The same for one path of a wheel that brings no compute-sanitizer/ folder.
std::optional<std::string> wheel_place(std::string_view component, std::string_view path);

// Links that archives have and wheels lack, from the files of one component's placed tree:
// "lib/libcudart.so.12" -> {"lib/libcudart.so", "libcudart.so.12"}. Never for a name that exists.
std::vector<std::pair<std::string, std::string>> missing_links(
    std::string_view component, const std::vector<std::string>& placed);

// Whether a placed file is a program: it lies in bin/ (or is the sanitizer's or cicc) and begins
// like an ELF file or a script. The modes in wheels say nothing: compute-sanitizer 12.9 has 0644.
bool is_program(std::string_view placed, std::string_view first_bytes);

// What the wheels of a component lack beside its archive, one line for the plan and the receipt
// ("no nvcc, cicc, cudafe++, fatbinary, nvlink: before CUDA 13 the wheel only has ptxas, libnvvm
// and headers"), and whether that takes away what makes it essential. Empty: nothing known.
struct Shortfall {
  std::string what;
  bool unusable = false;  // for the essential part of minimal and dev
};
Shortfall wheel_shortfall(std::string_view component, unsigned cuda_major, unsigned cuda_minor);

}  // namespace cudaenv::catalog
