#include "compat/gpu.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace cudaenv::compat {
namespace {

// The chips of Jetson and its kin: code for them does not run on cards, nor the other way round,
// although they share a major.
// Source: NVIDIA's nvcc documentation, "GPU Feature List" and "Binary Compatibility".
constexpr std::array tegra{ComputeCapability{3, 2}, ComputeCapability{5, 3},
                           ComputeCapability{6, 2}, ComputeCapability{7, 2},
                           ComputeCapability{8, 7}, ComputeCapability{10, 1},
                           ComputeCapability{11, 0}};

bool is_tegra(ComputeCapability capability) {
  return std::find(tegra.begin(), tegra.end(), capability) != tegra.end();
}

std::string shown(const GpuFacts& gpu, ComputeCapability capability) {
  if (gpu.name.empty()) return fmt::format("a GPU of compute capability {}", capability.text());
  return fmt::format("{} (compute capability {})", gpu.name, capability.text());
}

GpuSupport support_by(const ArchitectureRow& row, ComputeCapability gpu) {
  const auto& compiled = row.compiled;
  if (std::find(compiled.begin(), compiled.end(), gpu) != compiled.end()) {
    return GpuSupport::compiled;
  }
  const bool same_major = std::any_of(compiled.begin(), compiled.end(), [&](const auto& each) {
    return each.major == gpu.major && each.minor < gpu.minor && !is_tegra(each);
  });
  if (same_major && !is_tegra(gpu)) return GpuSupport::compatible;
  return gpu < compiled.front() ? GpuSupport::dropped : GpuSupport::jit_only;
}

// What the driver says to the GPU; nothing where both get on, or where the driver shows the GPU
// itself and so has answered.
std::optional<Finding> judge_by_driver(const Tables& tables, const GpuFacts& gpu,
                                       ComputeCapability capability, const DriverFacts& driver) {
  const auto version = driver.version();
  if (!version || (driver.state == DriverState::working && !gpu.uuid.empty())) return std::nullopt;
  const auto* branch = tables.driver(*version);
  if (!branch) return std::nullopt;
  if (capability < branch->oldest_gpu) {
    const DriverRow* last = nullptr;
    for (const auto& row : tables.drivers) {
      if (row.oldest_gpu <= capability) last = &row;
    }
    Finding finding{
        "gpu.driver-dropped",
        Severity::error,
        fmt::format("driver {} no longer drives {}", version->text(), shown(gpu, capability)),
        {},
        {}};
    if (last)
      finding.help.push_back(
          fmt::format("take a driver of branch {}, the last that does", last->branch.text()));
    return finding;
  }
  for (const auto& row : tables.drivers) {
    const auto& first = row.first_with;
    if (std::find(first.begin(), first.end(), capability) == first.end()) continue;
    if (version->major() >= row.branch.major()) break;
    return Finding{
        "gpu.driver-too-old",
        Severity::error,
        fmt::format("driver {} does not know {} yet", version->text(), shown(gpu, capability)),
        {fmt::format("branch {} is the first that does", row.branch.text())},
        {fmt::format("update the driver to {} or later", row.branch.text())}};
  }
  return std::nullopt;
}

void say_support(GpuVerdict& verdict, const Version& toolkit, const GpuFacts& gpu,
                 ComputeCapability capability, bool deprecated) {
  const std::string name = shown(gpu, capability);
  switch (verdict.support) {
    case GpuSupport::compiled:
      if (deprecated) {
        Finding finding{"gpu.deprecated",
                        Severity::note,
                        fmt::format("CUDA {} compiles for {} with a warning", toolkit.text(), name),
                        {},
                        {}};
        if (verdict.last_toolkit) {
          finding.why.push_back(
              fmt::format("{} is the last that does", verdict.last_toolkit->text()));
        }
        verdict.findings.push_back(std::move(finding));
      }
      return;
    case GpuSupport::compatible:
      verdict.findings.push_back(
          {"gpu.same-major",
           Severity::note,
           fmt::format("CUDA {} does not compile for {} by its number", toolkit.text(), name),
           {"code for an older GPU of the same major runs on it"},
           {}});
      return;
    case GpuSupport::jit_only:
      verdict.findings.push_back(
          {"gpu.jit-only",
           Severity::warning,
           fmt::format("{} is newer than CUDA {}", name, toolkit.text()),
           {"no code of this toolkit runs on it but PTX, which the driver compiles at the start; "
            "programs and libraries without PTX fail (error 209)"},
           {}});
      break;
    case GpuSupport::dropped:
      verdict.findings.push_back(
          {"gpu.dropped",
           Severity::error,
           fmt::format("CUDA {} no longer compiles for {}", toolkit.text(), name),
           {},
           {}});
      break;
    case GpuSupport::too_new:
    case GpuSupport::unknown:
      return;
  }
  auto& finding = verdict.findings.back();
  if (verdict.support == GpuSupport::jit_only) {
    finding.help.push_back(
        verdict.first_toolkit
            ? fmt::format("take CUDA {} or later, the first that compiles for it",
                          verdict.first_toolkit->text())
            : std::string("no toolkit of the tables compiles for it: look for newer tables"));
  } else if (verdict.last_toolkit) {
    finding.help.push_back(
        fmt::format("take CUDA {}, the last that compiles for it", verdict.last_toolkit->text()));
  }
}

}  // namespace

std::string_view name_of(GpuSupport support) {
  switch (support) {
    case GpuSupport::compiled:
      return "compiled";
    case GpuSupport::compatible:
      return "compatible";
    case GpuSupport::jit_only:
      return "jit-only";
    case GpuSupport::dropped:
      return "dropped";
    case GpuSupport::too_new:
      return "too-new";
    case GpuSupport::unknown:
      return "unknown";
  }
  return "unknown";
}

std::optional<ComputeCapability> capability_of(const Tables& tables, const GpuFacts& gpu) {
  if (gpu.capability) return gpu.capability;
  if (const auto* row = tables.gpu(gpu.name)) return row->capability;
  return std::nullopt;
}

GpuVerdict judge_gpu(const Tables& tables, const Version& toolkit, const GpuFacts& gpu,
                     const DriverFacts& driver) {
  GpuVerdict verdict;
  verdict.capability = capability_of(tables, gpu);
  if (!verdict.capability) {
    verdict.findings.push_back({"gpu.unknown",
                                Severity::note,
                                fmt::format("the compute capability of {} is not known",
                                            gpu.name.empty() ? "a GPU" : gpu.name),
                                {},
                                {}});
    return verdict;
  }
  const auto capability = *verdict.capability;
  verdict.first_toolkit = tables.first_with(capability);
  verdict.last_toolkit = tables.last_with(capability);
  if (const auto* row = tables.architecture(toolkit)) {
    verdict.support = support_by(*row, capability);
    const auto& old = row->deprecated;
    say_support(verdict, toolkit, gpu, capability,
                std::find(old.begin(), old.end(), capability) != old.end());
  } else {
    verdict.findings.push_back(
        {"gpu.toolkit-unknown",
         Severity::note,
         fmt::format("what CUDA {} compiles for is not in the tables", toolkit.text()),
         {fmt::format("they are of {}", tables.date)},
         {}});
  }
  if (auto finding = judge_by_driver(tables, gpu, capability, driver)) {
    if (finding->id == "gpu.driver-too-old") verdict.support = GpuSupport::too_new;
    verdict.findings.push_back(std::move(*finding));
  }
  return verdict;
}

}  // namespace cudaenv::compat
