// What the compatibility tables say of what was seen.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "compat/build.hpp"
#include "compat/driver.hpp"
#include "compat/gpu.hpp"
#include "compat/libraries.hpp"
#include "doctor/checks.hpp"

namespace cudaenv::doctor {
namespace {

// Two toolkits or two GPUs of a kind are told once.
void add(Findings& findings, std::vector<compat::Finding> more) {
  for (auto& finding : more) {
    if (std::find(findings.begin(), findings.end(), finding) == findings.end()) {
      findings.push_back(std::move(finding));
    }
  }
}

void judge_driver_and_gpus(const Observed& seen, const compat::Tables& tables,
                           const Version& toolkit, Findings& findings) {
  const auto& facts = seen.driver.facts;
  // Without a driver another check has said so.
  const bool known = facts.version() || facts.cuda;
  if (known) {
    add(findings, compat::judge_driver(tables, toolkit, facts, seen.driver.gpus).findings);
  }
  for (const auto& gpu : seen.driver.gpus) {
    // Nothing but its place on the bus is known.
    if (gpu.name.empty() && !gpu.capability) continue;
    add(findings, compat::judge_gpu(tables, toolkit, gpu, facts).findings);
  }
}

compat::Finding no_compiler(const HostCompilers& taken) {
  const bool misnamed = taken.by_variable;
  return {"compiler.none",
          compat::Severity::warning,
          misnamed ? "NVCC_CCBIN, or -ccbin in NVCC_PREPEND_FLAGS, names no compiler"
                   : "there is no gcc on PATH: nvcc needs a host compiler",
          {},
          {misnamed ? "unset NVCC_CCBIN NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS"
                    : "install g++, from your distribution"}};
}

void judge_host(const Observed& seen, const compat::Tables& tables, const Version& toolkit,
                Findings& findings) {
  add(findings, judge_host_compiler(seen.compilers, tables, toolkit).findings);
  if (seen.glibc) add(findings, compat::judge_glibc(tables, toolkit, *seen.glibc).findings);
}

void judge_libraries(const Observed& seen, const compat::Tables& tables, const ToolkitFacts& facts,
                     const Version& toolkit, Findings& findings) {
  if (const auto cudnn = seen.library_version(facts, cudnn_files)) {
    add(findings, compat::judge_cudnn(tables, toolkit, *cudnn).findings);
  }
  if (const auto nccl = seen.library_version(facts, nccl_files)) {
    add(findings, compat::judge_nccl(tables, toolkit, *nccl).findings);
  }
}

}  // namespace

compat::BuildVerdict judge_host_compiler(const HostCompilers& compilers,
                                         const compat::Tables& tables, const Version& toolkit) {
  const auto taken = compilers.with(toolkit);
  auto verdict = taken.chosen ? compat::judge_compiler(tables, toolkit, *taken.chosen)
                              : compat::BuildVerdict{compat::Fit::unknown, {no_compiler(taken)}};
  const bool misfit =
      !taken.chosen || verdict.fit == compat::Fit::too_new || verdict.fit == compat::Fit::too_old;
  if (!misfit || verdict.findings.empty()) return verdict;
  auto& finding = verdict.findings.front();
  if (!taken.ccbin.empty()) {
    finding.why.push_back(
        fmt::format("NVCC_CCBIN names `{}`, but nvcc reads that variable from CUDA 12.5 on",
                    text::visible(taken.ccbin, 200)));
  }
  const auto fitting = compat::choose_compiler(tables, toolkit, compilers.installed);
  const bool misnamed = !taken.chosen && taken.by_variable;
  if (fitting && !misnamed) {
    finding.help = {fmt::format("{}  # {} {}, which fits",
                                compat::compiler_setting(toolkit, fitting->path), fitting->family,
                                fitting->version.text())};
  }
  return verdict;
}

std::optional<Version> release_of(const ToolkitFacts& facts, const compat::Tables& tables) {
  const auto version = facts.version();
  if (!version) return std::nullopt;
  // "12.1.105" of a version.txt is no release: 12.1 is what is known.
  return tables.toolkit(*version) ? *version : version->first(2);
}

Findings check_compatibility(const Observed& seen, const compat::Tables& tables) {
  Findings findings;
  for (const auto& path : seen.judged) {
    const auto* facts = seen.toolkit(path);
    const auto toolkit = facts ? release_of(*facts, tables) : std::nullopt;
    if (!toolkit) continue;
    judge_driver_and_gpus(seen, tables, *toolkit, findings);
    if (facts->is_compiler()) judge_host(seen, tables, *toolkit, findings);
    judge_libraries(seen, tables, *facts, *toolkit, findings);
  }
  return findings;
}

}  // namespace cudaenv::doctor
