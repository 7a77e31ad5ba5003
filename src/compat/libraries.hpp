#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compat/finding.hpp"
#include "compat/tables.hpp"

// Libraries with their own release series beside a toolkit.
namespace cudaenv::compat {

enum class LibrarySupport {
  listed,       // NVIDIA's support matrix names the toolkit's minor
  same_major,   // built for the toolkit's major; the minor is not listed
  other_major,  // there is a build, but for another major
  unknown,
};
std::string_view name_of(LibrarySupport support);

struct LibraryVerdict {
  LibrarySupport support = LibrarySupport::unknown;
  std::vector<Finding> findings;
};

// "8.9" means the newest release that begins so.
LibraryVerdict judge_cudnn(const Tables& tables, const Version& toolkit, const Version& cudnn);
LibraryVerdict judge_nccl(const Tables& tables, const Version& toolkit, const Version& nccl);

// The newest cuDNN of the tables that has a build for the toolkit's major and is accepted by
// `wanted` (any without it) and that runs on every capability of `gpus`.
const CudnnRow* newest_cudnn(const Tables& tables, const Version& toolkit, const Constraint* wanted,
                             const std::vector<ComputeCapability>& gpus);

}  // namespace cudaenv::compat
