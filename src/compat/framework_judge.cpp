// A framework's row against what it meets.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "compat/driver.hpp"
#include "compat/framework.hpp"
#include "compat/gpu.hpp"

namespace cudaenv::compat {
namespace {

std::string name_of(const FrameworkRow& row) { return fmt::format("{} {}", row.name, row.label); }

// The versions of a framework whose rows want this cuDNN or CUDA: "2.12, 2.13".
template <typename Member>
std::string labels_with(const Tables& tables, const FrameworkRow& row, Member member,
                        const Version& version) {
  std::vector<std::string> labels;
  for (const auto& each : tables.frameworks) {
    const auto& wanted = each.*member;
    if (each.name != row.name || each.shipped == Shipped::source || !wanted) continue;
    if (!wanted->accepts(version)) continue;
    if (std::find(labels.begin(), labels.end(), each.label) == labels.end()) {
      labels.push_back(each.label);
    }
  }
  if (labels.size() > 8) return {};
  return fmt::format("{}", fmt::join(labels, ", "));
}

class RowJudge {
 public:
  RowJudge(const Tables& tables, const FrameworkRow& row, const Surroundings& around)
      : tables_(tables), row_(row), around_(around) {}

  std::vector<Finding> judge();

 private:
  void judge_toolkit(const Version& toolkit);
  void judge_extension_toolkit(const Version& toolkit);
  void judge_cudnn(const Version& cudnn);
  void judge_python(const Version& python);
  void judge_driver(const DriverFacts& driver);
  void judge_gpu(const GpuFacts& gpu);

  // The CUDA that its own libraries are of, or that it would meet.
  std::optional<Version> own_cuda() const;

  const Tables& tables_;
  const FrameworkRow& row_;
  const Surroundings& around_;
  std::vector<Finding> findings_;
};

std::vector<Finding> RowJudge::judge() {
  if (around_.toolkit && row_.cuda) {
    if (row_.shipped == Shipped::bundled) {
      judge_extension_toolkit(*around_.toolkit);
    } else {
      judge_toolkit(*around_.toolkit);
    }
  }
  if (around_.cudnn && row_.cudnn) judge_cudnn(*around_.cudnn);
  if (around_.python && row_.python) judge_python(*around_.python);
  if (around_.driver) judge_driver(*around_.driver);
  for (const auto& gpu : around_.gpus) judge_gpu(gpu);
  return std::move(findings_);
}

std::optional<Version> RowJudge::own_cuda() const {
  if (!row_.cuda) return std::nullopt;
  if (around_.toolkit && row_.shipped != Shipped::bundled && row_.cuda->accepts(*around_.toolkit)) {
    return around_.toolkit;
  }
  // Of a range the least: what comes with it asks for no more.
  const auto& least = row_.cuda->alternatives().front().front().version;
  return least.parts().size() > 1 ? least : Version::parse(least.text() + ".0");
}

void RowJudge::judge_extension_toolkit(const Version& toolkit) {
  if (row_.cuda->accepts(toolkit)) return;
  const bool same_major =
      std::any_of(row_.cuda->alternatives().begin(), row_.cuda->alternatives().end(),
                  [&](const auto& each) { return each[0].version.major() == toolkit.major(); });
  findings_.push_back(
      {same_major ? "framework.extension-minor" : "framework.extension-major",
       same_major ? Severity::note : Severity::warning,
       fmt::format("{} brings CUDA {} of its own and does not use {}", name_of(row_),
                   row_.cuda->words(), toolkit.text()),
       {same_major ? "to build extensions for it another minor of the same major serves"
                   : "extensions for it cannot be built with another major"},
       {fmt::format("to build extensions take CUDA {}", row_.cuda->words())}});
}

void RowJudge::judge_toolkit(const Version& toolkit) {
  if (row_.cuda->accepts(toolkit)) return;
  const auto& alternatives = row_.cuda->alternatives();
  // Until CUDA 10 every minor has file names of its own; from 11 on those of a major are the same.
  const bool same_names =
      toolkit.major() >= 11 &&
      std::any_of(alternatives.begin(), alternatives.end(),
                  [&](const auto& bounds) { return bounds[0].version.major() == toolkit.major(); });
  Finding finding{same_names ? "framework.cuda-untested" : "framework.cuda-mismatch",
                  same_names ? Severity::warning : Severity::error,
                  fmt::format("{} is made for CUDA {}, not {}", name_of(row_), row_.cuda->words(),
                              toolkit.text()),
                  {},
                  {fmt::format("take CUDA {}", row_.cuda->words())}};
  finding.why.emplace_back(same_names
                               ? "the libraries of a major have the same names, so it starts; the "
                                 "pair is not one that the project tested"
                               : "the libraries of another major have other names: it would not "
                                 "find them");
  if (const auto labels = labels_with(tables_, row_, &FrameworkRow::cuda, toolkit);
      !labels.empty()) {
    finding.why.push_back(fmt::format("{} with CUDA {}: {}", row_.name, toolkit.text(), labels));
  }
  for (const auto& each : tables_.frameworks) {
    if (each.shipped == Shipped::source && each.name == row_.name && each.cuda &&
        row_.version.accepts(each.version.alternatives().front().front().version) &&
        each.cuda->accepts(toolkit)) {
      finding.why.push_back(fmt::format("sites build {} {} from source with CUDA {}", each.name,
                                        each.label, each.cuda->words()));
    }
  }
  findings_.push_back(std::move(finding));
}

void RowJudge::judge_cudnn(const Version& cudnn) {
  if (row_.cudnn->accepts(cudnn)) return;
  const auto& wanted = row_.cudnn->alternatives().front().front().version;
  // "8.9" was typed and 8.9.2.26 is wanted: not a contradiction.
  if (wanted.starts_with(cudnn)) return;
  if (row_.shipped == Shipped::bundled) {
    findings_.push_back(
        {"framework.brings-cudnn",
         Severity::note,
         fmt::format("{} brings cuDNN {} of its own", name_of(row_), row_.cudnn->words()),
         {fmt::format("cuDNN {} is not used unless LD_LIBRARY_PATH puts it in front",
                      cudnn.text())},
         {}});
    return;
  }
  const bool other_major = wanted.major() != cudnn.major();
  const bool older = cudnn < wanted;
  Finding finding{other_major ? "framework.cudnn-major"
                  : older     ? "framework.cudnn-old"
                              : "framework.cudnn-untested",
                  other_major || older ? Severity::error : Severity::note,
                  fmt::format("{} is made for cuDNN {}, not {}", name_of(row_), row_.cudnn->words(),
                              cudnn.text()),
                  {},
                  {fmt::format("take cuDNN {}", row_.cudnn->words())}};
  finding.why.emplace_back(other_major ? "the file names of another major differ"
                           : older     ? "cuDNN has to be as new as what the framework was "
                                         "compiled with"
                                       : "a newer minor of the same major serves as well");
  if (const auto labels = labels_with(tables_, row_, &FrameworkRow::cudnn, cudnn);
      !labels.empty()) {
    finding.why.push_back(fmt::format("{} with cuDNN {}: {}", row_.name, cudnn.text(), labels));
  }
  findings_.push_back(std::move(finding));
}

void RowJudge::judge_python(const Version& python) {
  if (row_.python->accepts(python)) return;
  findings_.push_back(
      {"framework.python",
       Severity::error,
       fmt::format("{} has no package for Python {}", name_of(row_), python.first(2).text()),
       {fmt::format("it has them for {}", row_.python->words())},
       {fmt::format("use a Python of {}", row_.python->words())}});
}

void RowJudge::judge_driver(const DriverFacts& driver) {
  const auto version = driver.version();
  if (version && row_.driver && row_.driver_stated && *version < *row_.driver) {
    findings_.push_back({"framework.driver",
                         Severity::error,
                         fmt::format("{} asks for driver {}; there is {}", name_of(row_),
                                     row_.driver->text(), version->text()),
                         {},
                         {fmt::format("update the driver to {} or later", row_.driver->text())}});
    return;
  }
  const auto cuda = own_cuda();
  if (!cuda) return;
  auto verdict = compat::judge_driver(tables_, *cuda, driver, around_.gpus);
  for (auto& finding : verdict.findings) findings_.push_back(std::move(finding));
}

void RowJudge::judge_gpu(const GpuFacts& gpu) {
  const auto capability = capability_of(tables_, gpu);
  const std::string name = gpu.name.empty() ? "the GPU" : gpu.name;
  if (capability && row_.least_gpu && *capability < *row_.least_gpu) {
    findings_.push_back({"framework.gpu-old",
                         Severity::error,
                         fmt::format("{} has no code for {} (compute capability {})", name_of(row_),
                                     name, capability->text()),
                         {fmt::format("it begins at {}", row_.least_gpu->text())},
                         {"take an older version of the framework, or a build for an older CUDA"}});
    return;
  }
  const auto cuda = own_cuda();
  if (!cuda) return;
  auto verdict = compat::judge_gpu(tables_, *cuda, gpu, around_.driver.value_or(DriverFacts{}));
  for (auto& finding : verdict.findings) {
    // Wheels rarely hold PTX.
    if (finding.id == "gpu.jit-only" && row_.shipped == Shipped::bundled) {
      finding.severity = Severity::error;
    }
    if (finding.severity != Severity::note || finding.id == "gpu.unknown") {
      findings_.push_back(std::move(finding));
    }
  }
}

std::size_t count(const std::vector<Finding>& findings, Severity severity) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const auto& each) { return each.severity == severity; }));
}

// "12" may be any 12.x, so also the one that the row is for.
Surroundings narrowed(const FrameworkRow& row, Surroundings surroundings) {
  auto& toolkit = surroundings.toolkit;
  if (!toolkit || toolkit->parts().size() > 1 || !row.cuda) return surroundings;
  for (const auto& bounds : row.cuda->alternatives()) {
    if (!bounds.front().version.starts_with(*toolkit)) continue;
    toolkit = bounds.front().version;
    break;
  }
  return surroundings;
}

// The least is the best: first of all a build for the toolkit that was asked about, where the
// framework uses it at all.
using Weight = std::array<std::size_t, 4>;

Weight weight_of(const FrameworkRow& row, const std::vector<Finding>& findings,
                 const Surroundings& surroundings) {
  const bool other_build = surroundings.toolkit && row.shipped != Shipped::bundled && row.cuda &&
                           !row.cuda->accepts(*surroundings.toolkit);
  return {other_build ? 1u : 0u, count(findings, Severity::error),
          count(findings, Severity::warning), count(findings, Severity::note)};
}

Finding unknown_version(const Tables& tables, const FrameworkWish& wish) {
  Finding finding{"framework.unknown",
                  Severity::note,
                  fmt::format("{} is not in the tables", wish.text()),
                  {fmt::format("they are of {}", tables.date)},
                  {}};
  std::vector<std::string> labels;
  for (const auto& row : tables.frameworks) {
    if (row.name == wish.name && row.shipped != Shipped::source &&
        (labels.empty() || labels.back() != row.label)) {
      labels.push_back(row.label);
    }
  }
  finding.why.push_back(fmt::format("known are: {}", fmt::join(labels, ", ")));
  return finding;
}

}  // namespace

std::vector<Finding> judge_row(const Tables& tables, const FrameworkRow& row,
                               const Surroundings& surroundings) {
  const auto around = narrowed(row, surroundings);
  return RowJudge(tables, row, around).judge();
}

FrameworkVerdict judge_framework(const Tables& tables, const FrameworkWish& wish,
                                 const Surroundings& surroundings) {
  const auto rows = rows_for(tables, wish);
  const bool published = std::any_of(
      rows.begin(), rows.end(), [](const auto* row) { return row->shipped != Shipped::source; });
  FrameworkVerdict best;
  std::optional<Weight> least;
  for (const auto* row : rows) {
    // What sites build for themselves counts only where the project publishes nothing.
    if (published && row->shipped == Shipped::source) continue;
    auto findings = judge_row(tables, *row, surroundings);
    const auto weight = weight_of(*row, findings, narrowed(*row, surroundings));
    if (least && weight >= *least) continue;
    least = weight;
    best = {true, row, std::move(findings)};
  }
  if (!best.known) best.findings.push_back(unknown_version(tables, wish));
  return best;
}

}  // namespace cudaenv::compat
