#include "compat/libraries.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace cudaenv::compat {
namespace {

// Of a toolkit of which only the major is known, any minor speaks.
bool names(const std::vector<Version>& minors, const Version& toolkit) {
  return std::any_of(minors.begin(), minors.end(), [&](const Version& minor) {
    return toolkit.starts_with(minor) || minor.starts_with(toolkit);
  });
}

Finding not_in_tables(std::string_view library, const Version& version, const Tables& tables) {
  return {fmt::format("{}.unknown", library == "cuDNN" ? "cudnn" : "nccl"),
          Severity::note,
          fmt::format("{} {} is not in the tables", library, version.text()),
          {fmt::format("they are of {}", tables.date)},
          {}};
}

std::string joined(const std::set<unsigned>& majors) {
  return fmt::format("{}", fmt::join(majors, " and "));
}

// A release with the same first two numbers, for the toolkit's CUDA: wheels have patches that
// NVIDIA publishes nowhere else.
const CudnnRow* of_series(const std::vector<CudnnRow>& rows, const Version& toolkit,
                          const Version& cudnn) {
  const auto found = std::find_if(rows.rbegin(), rows.rend(), [&](const CudnnRow& row) {
    return row.cuda_major == toolkit.major() && row.release.starts_with(cudnn.first(2));
  });
  return found == rows.rend() ? nullptr : &*found;
}

}  // namespace

std::string_view name_of(LibrarySupport support) {
  switch (support) {
    case LibrarySupport::listed:
      return "listed";
    case LibrarySupport::same_major:
      return "same-major";
    case LibrarySupport::other_major:
      return "other-major";
    case LibrarySupport::unknown:
      return "unknown";
  }
  return "unknown";
}

LibraryVerdict judge_cudnn(const Tables& tables, const Version& toolkit, const Version& cudnn) {
  const CudnnRow* row = nullptr;
  std::set<unsigned> majors;
  for (const auto& each : tables.cudnn) {
    if (!each.release.starts_with(cudnn)) continue;
    majors.insert(each.cuda_major);
    if (each.cuda_major == toolkit.major()) row = &each;
  }
  if (majors.empty()) {
    auto finding = not_in_tables("cuDNN", cudnn, tables);
    const auto* sibling = of_series(tables.cudnn, toolkit, cudnn);
    if (!sibling) return {LibrarySupport::unknown, {std::move(finding)}};
    finding.why.push_back(fmt::format("{} of the same series is, and is built for CUDA {}",
                                      sibling->release.text(), sibling->cuda_major));
    return {LibrarySupport::same_major, {std::move(finding)}};
  }
  if (!row) {
    Finding finding{"cudnn.other-major",
                    Severity::error,
                    fmt::format("cuDNN {} has no build for CUDA {}", cudnn.text(), toolkit.major()),
                    {fmt::format("there are builds for CUDA {}", joined(majors))},
                    {}};
    if (const auto* newest = newest_cudnn(tables, toolkit, nullptr, {})) {
      finding.help.push_back(
          fmt::format("the newest for CUDA {} is {}", toolkit.major(), newest->release.text()));
    }
    return {LibrarySupport::other_major, {std::move(finding)}};
  }
  if (names(row->minors, toolkit)) return {LibrarySupport::listed, {}};
  Finding finding{"cudnn.minor-not-listed",
                  Severity::note,
                  fmt::format("cuDNN {} is built for CUDA {}; {} itself is not listed",
                              row->release.text(), row->cuda_major, toolkit.first(2).text()),
                  {},
                  {}};
  if (row->minors.empty()) {
    finding.why.emplace_back("which minors NVIDIA tested is not in the tables");
  } else {
    finding.why.push_back(fmt::format("NVIDIA lists {} to {}", row->minors.front().text(),
                                      row->minors.back().text()));
  }
  if (toolkit.major() < 11) {
    finding.severity = Severity::warning;
    finding.why.emplace_back(
        "before CUDA 11 there is a build for each minor, which serves no other");
  } else {
    finding.why.emplace_back("a build for the major serves its minors when linked dynamically");
  }
  return {LibrarySupport::same_major, {std::move(finding)}};
}

LibraryVerdict judge_nccl(const Tables& tables, const Version& toolkit, const Version& nccl) {
  const NcclRow* row = nullptr;
  for (const auto& each : tables.nccl) {
    if (each.release.starts_with(nccl)) row = &each;
  }
  if (!row || (row->builds.empty() && row->majors.empty())) {
    return {LibrarySupport::unknown, {not_in_tables("NCCL", nccl, tables)}};
  }
  if (names(row->builds, toolkit)) return {LibrarySupport::listed, {}};
  std::set<unsigned> majors(row->majors.begin(), row->majors.end());
  for (const auto& build : row->builds) majors.insert(build.major());
  if (majors.count(toolkit.major()) > 0) {
    return {LibrarySupport::same_major,
            {{"nccl.minor-not-listed",
              Severity::note,
              fmt::format("no build of NCCL {} for CUDA {} itself is known", row->release.text(),
                          toolkit.first(2).text()),
              {fmt::format("it serves CUDA {}", joined(majors))},
              {}}}};
  }
  // The lists of builds are partial: what is not in them may exist.
  return {LibrarySupport::other_major,
          {{"nccl.other-major",
            Severity::warning,
            fmt::format("no build of NCCL {} for CUDA {} is known", row->release.text(),
                        toolkit.major()),
            {fmt::format("it is known for CUDA {}", joined(majors))},
            {}}}};
}

const CudnnRow* newest_cudnn(const Tables& tables, const Version& toolkit, const Constraint* wanted,
                             const std::vector<ComputeCapability>& gpus) {
  for (auto row = tables.cudnn.rbegin(); row != tables.cudnn.rend(); ++row) {
    if (row->cuda_major != toolkit.major()) continue;
    if (wanted && !wanted->accepts(row->release)) continue;
    const bool runs = std::all_of(gpus.begin(), gpus.end(), [&](const auto& gpu) {
      return gpu >= row->least && gpu.major <= row->most.major;
    });
    if (runs) return &*row;
  }
  return nullptr;
}

}  // namespace cudaenv::compat
