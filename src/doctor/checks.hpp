#pragma once

#include <string_view>
#include <vector>

#include "compat/build.hpp"
#include "compat/finding.hpp"
#include "compat/tables.hpp"
#include "doctor/observed.hpp"

// The checks of `doctor`: each looks at one thing and says what it found, nothing where all is
// well. docs/doctor.md lists every id.
namespace cudaenv::doctor {

using Findings = std::vector<compat::Finding>;

// The driver: whether it answers, and if not, why.
Findings check_driver_state(const Observed& seen);
Findings check_driver_libraries(const Observed& seen);  // NVML, a compat libcuda, WSL2's
Findings check_device_nodes(const Observed& seen);
Findings check_gpus(const Observed& seen);  // hidden, exclusive, of other drivers, fabric manager
Findings check_ceiling(const Observed& seen);

// Which toolkit is used.
Findings check_home_variables(const Observed& seen);  // malformed, dangling, disagreeing
Findings check_nvccs(const Observed& seen);
Findings check_default_link(const Observed& seen);
Findings check_sudo(const Observed& seen);
Findings check_conda(const Observed& seen);

// The toolkits that are judged.
Findings check_toolkit_parts(const Observed& seen);  // run-time only, libdevice, lib64, split
Findings check_toolkit_versions(const Observed& seen);
Findings check_readable(const Observed& seen);

// What the loader finds.
Findings check_loader_elements(const Observed& seen);  // empty, relative, missing
Findings check_loader_driver(const Observed& seen);    // stubs, compat, a prefix's libcuda, WSL2
Findings check_loader_toolkits(const Observed& seen);  // other toolkits, shadowing
Findings check_wheels(const Observed& seen);           // what hides a Python environment's own
Findings check_loader_cache(const Observed& seen);
Findings check_sonames(const Observed& seen);
Findings check_cudnn(const Observed& seen);

// The library that was asked for by name; nothing where none was.
Findings check_wanted(const Observed& seen, const compat::Tables& tables);
// Faults of GPUs that the kernel log tells of since boot, one for each GPU and number.
Findings check_xids(const Observed& seen, const compat::Tables& tables);
// What the tables say of the toolkits that are judged: driver, GPUs, host compiler, C library,
// cuDNN, NCCL.
Findings check_compatibility(const Observed& seen, const compat::Tables& tables);
// What the toolkit's nvcc takes, of which it may be too old or too new a one, or none; the help
// names an installed one that fits.
compat::BuildVerdict judge_host_compiler(const HostCompilers& compilers,
                                         const compat::Tables& tables, const Version& toolkit);

// The release that a toolkit's files name, as far as the tables know it.
std::optional<Version> release_of(const ToolkitFacts& facts, const compat::Tables& tables);

// How the files of libraries with a series of their own begin.
inline constexpr std::string_view cudnn_files = "libcudnn";
inline constexpr std::string_view nccl_files = "libnccl.so";

// All of them, in the order in which they are told; without tables those that need none.
Findings check_all(const Observed& seen, const compat::Tables* tables = nullptr);

}  // namespace cudaenv::doctor
