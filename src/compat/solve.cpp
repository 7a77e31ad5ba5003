#include "compat/solve.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "compat/build.hpp"
#include "compat/driver.hpp"
#include "compat/gpu.hpp"
#include "compat/libraries.hpp"

namespace cudaenv::compat {
namespace {

// One toolkit with all that speaks against it.
struct Candidate {
  Version toolkit;
  std::vector<Finding> findings;
  // Works, but not in full: shown where a newer toolkit was passed over for it.
  std::vector<std::string> lacks;

  bool fails() const { return worst(findings) == Severity::error; }
  std::string reason() const {
    for (const auto& finding : findings) {
      if (finding.severity == Severity::error) return finding.seen;
    }
    return lacks.empty() ? std::string() : lacks.front();
  }
};

void add_once(std::vector<std::string>& lines, std::string line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

class Solver {
 public:
  Solver(const Tables& tables, const Question& question) : tables_(tables), question_(question) {}

  Answer solve();

 private:
  bool choose_framework();
  bool serves_any(const FrameworkRow& row) const;
  std::optional<FrameworkVerdict> build_for_toolkits() const;
  Candidate weigh(const Version& toolkit) const;
  void weigh_machine(Candidate& candidate) const;
  void weigh_build(Candidate& candidate) const;
  void weigh_framework(Candidate& candidate) const;
  void take(const std::vector<Candidate>& newest_first);
  void say_why(const Candidate& chosen);
  void say_machine(const Version& toolkit);
  void choose_cudnn(const Version& toolkit);
  void say_framework();

  Surroundings surroundings() const;
  std::vector<ComputeCapability> capabilities() const;
  const CudnnRow* cudnn_for(const Version& toolkit, const Constraint* wanted) const;
  bool can_be_had(const Version& cudnn) const;

  const Tables& tables_;
  const Question& question_;
  const FrameworkRow* row_ = nullptr;
  Answer answer_;
};

Answer Solver::solve() {
  if (question_.framework && !choose_framework()) return std::move(answer_);
  auto toolkits = question_.toolkits;
  std::sort(toolkits.begin(), toolkits.end(), std::greater<>());
  std::vector<Candidate> candidates;
  for (const auto& toolkit : toolkits) candidates.push_back(weigh(toolkit));
  take(candidates);
  if (row_) say_framework();
  return std::move(answer_);
}

Surroundings Solver::surroundings() const {
  const auto& machine = question_.machine;
  return {std::nullopt, std::nullopt, machine.driver, machine.gpus, machine.python};
}

std::vector<ComputeCapability> Solver::capabilities() const {
  std::vector<ComputeCapability> result;
  for (const auto& gpu : question_.machine.gpus) {
    if (const auto capability = capability_of(tables_, gpu)) result.push_back(*capability);
  }
  return result;
}

// The build of the framework that the machine takes; false where the tables do not know it.
bool Solver::choose_framework() {
  auto verdict = judge_framework(tables_, *question_.framework, surroundings());
  if (verdict.row && !serves_any(*verdict.row)) {
    if (auto other = build_for_toolkits()) verdict = std::move(*other);
  }
  row_ = verdict.row;
  answer_.findings = std::move(verdict.findings);
  if (!row_) return false;
  answer_.toolkit_needed = row_->shipped == Shipped::system || row_->shipped == Shipped::source;
  return true;
}

bool Solver::serves_any(const FrameworkRow& row) const {
  return !row.cuda || std::any_of(question_.toolkits.begin(), question_.toolkits.end(),
                                  [&](const auto& each) { return row.cuda->accepts(each); });
}

// Where the best build is for toolkits that cannot be had: one for those that can, if it works.
std::optional<FrameworkVerdict> Solver::build_for_toolkits() const {
  auto around = surroundings();
  for (const auto& toolkit : question_.toolkits) {
    around.toolkit = toolkit;
    auto verdict = judge_framework(tables_, *question_.framework, around);
    if (serves_any(*verdict.row) && worst(verdict.findings) != Severity::error) return verdict;
  }
  return std::nullopt;
}

Candidate Solver::weigh(const Version& toolkit) const {
  Candidate candidate{toolkit, {}, {}};
  weigh_machine(candidate);
  weigh_build(candidate);
  if (row_) weigh_framework(candidate);
  // What eight GPUs of a kind lack counts once.
  for (const auto& finding : candidate.findings) {
    if (finding.severity == Severity::warning) add_once(candidate.lacks, finding.seen);
  }
  return candidate;
}

void Solver::weigh_machine(Candidate& candidate) const {
  const auto& machine = question_.machine;
  const auto driver = machine.driver.value_or(DriverFacts{});
  if (machine.driver) {
    auto verdict = judge_driver(tables_, candidate.toolkit, driver, machine.gpus);
    if (verdict.support == DriverSupport::minor_version) {
      candidate.lacks.push_back(verdict.findings.front().seen);
    }
    for (auto& finding : verdict.findings) candidate.findings.push_back(std::move(finding));
  }
  for (const auto& gpu : machine.gpus) {
    auto verdict = judge_gpu(tables_, candidate.toolkit, gpu, driver);
    for (auto& finding : verdict.findings) {
      // Whatever the toolkit, this one says the same.
      if (finding.id.starts_with("gpu.driver-")) continue;
      candidate.findings.push_back(std::move(finding));
    }
  }
}

// A compiler that does not fit can be installed beside the others: it costs, but does not refuse.
void Solver::weigh_build(Candidate& candidate) const {
  const auto& machine = question_.machine;
  if (machine.glibc) {
    auto verdict = judge_glibc(tables_, candidate.toolkit, *machine.glibc);
    for (auto& finding : verdict.findings) {
      finding.severity = Severity::warning;
      candidate.findings.push_back(std::move(finding));
    }
  }
  const auto taken = machine.taken_by(candidate.toolkit);
  if (!taken || choose_compiler(tables_, candidate.toolkit, machine.compilers)) return;
  auto verdict = judge_compiler(tables_, candidate.toolkit, *taken);
  for (auto& finding : verdict.findings) {
    finding.severity = std::min(finding.severity, Severity::warning);
    candidate.findings.push_back(std::move(finding));
  }
}

void Solver::weigh_framework(Candidate& candidate) const {
  if (!row_->cuda || row_->cuda->accepts(candidate.toolkit)) return;
  if (row_->shipped == Shipped::bundled) {
    candidate.findings.push_back(
        {"framework.brings-other",
         Severity::error,
         fmt::format("{} {} is of CUDA {}", row_->name, row_->label, row_->cuda->words()),
         {},
         {}});
    return;
  }
  Surroundings only_toolkit;
  only_toolkit.toolkit = candidate.toolkit;
  for (auto& finding : judge_row(tables_, *row_, only_toolkit)) {
    // That it wants another toolkit is no advice where none of those can be had.
    if (!serves_any(*row_)) finding.help.clear();
    candidate.findings.push_back(std::move(finding));
  }
}

void Solver::take(const std::vector<Candidate>& newest_first) {
  const Candidate* chosen = nullptr;
  for (const auto& candidate : newest_first) {
    if (candidate.fails()) continue;
    if (!chosen || candidate.lacks.size() < chosen->lacks.size()) chosen = &candidate;
  }
  for (const auto& candidate : newest_first) {
    if (chosen && candidate.toolkit <= chosen->toolkit) break;
    answer_.newer.push_back({candidate.toolkit, candidate.reason()});
  }
  if (!chosen) return;
  answer_.toolkit = chosen->toolkit;
  for (const auto& finding : chosen->findings) {
    const auto same = [&](const Finding& each) { return each == finding; };
    auto& all = answer_.findings;
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(finding);
  }
  say_why(*chosen);
  if (row_ && row_->cudnn && row_->shipped != Shipped::bundled) choose_cudnn(chosen->toolkit);
}

void Solver::say_why(const Candidate& chosen) {
  auto& why = answer_.why;
  if (row_ && row_->cuda) {
    why.push_back(
        row_->cuda->accepts(chosen.toolkit)
            ? fmt::format("{} {} is made for CUDA {}", row_->name, row_->label, row_->cuda->words())
            : fmt::format("{} {} is made for CUDA {}, which is not to be had; {} has "
                          "libraries of the same names",
                          row_->name, row_->label, row_->cuda->words(), chosen.toolkit.text()));
  }
  say_machine(chosen.toolkit);
}

void Solver::say_machine(const Version& toolkit) {
  auto& why = answer_.why;
  const auto& machine = question_.machine;
  if (machine.driver) {
    const auto verdict = judge_driver(tables_, toolkit, *machine.driver, machine.gpus);
    const auto version = machine.driver->version();
    if (verdict.support == DriverSupport::native) {
      why.push_back(fmt::format(
          "driver {} runs CUDA {} in full{}", version ? version->text() : std::string("here"),
          toolkit.text(),
          verdict.ceiling ? fmt::format(" (up to {})", verdict.ceiling->text()) : std::string()));
    } else {
      for (const auto& finding : verdict.findings) why.push_back(finding.seen);
    }
  } else {
    why.emplace_back("there is no driver to ask: it does not decide");
  }
  for (const auto& gpu : machine.gpus) {
    const auto verdict = judge_gpu(tables_, toolkit, gpu, DriverFacts{});
    if (!verdict.capability) continue;
    const std::string name = gpu.name.empty() ? "the GPU" : gpu.name;
    if (verdict.support == GpuSupport::compiled) {
      add_once(why, fmt::format("its nvcc compiles for {} ({})", name, verdict.capability->sm()));
    }
  }
  if (const auto compiler = choose_compiler(tables_, toolkit, machine.compilers)) {
    auto line = fmt::format("its nvcc takes {} {}", compiler->family, compiler->version.text());
    // What nvcc takes by itself, and fails with.
    const auto taken = machine.taken_by(toolkit);
    const bool fails = !taken || judge_compiler(tables_, toolkit, *taken).fit != Fit::fits;
    if (fails && !compiler->path.empty()) {
      if (taken) line += fmt::format(", not {} {}", taken->family, taken->version.text());
      line += fmt::format(": `{}`", compiler_setting(toolkit, compiler->path));
    }
    why.push_back(std::move(line));
  }
}

bool Solver::can_be_had(const Version& cudnn) const {
  return question_.cudnn.empty() ||
         std::any_of(question_.cudnn.begin(), question_.cudnn.end(),
                     [&](const Version& each) { return cudnn.starts_with(each); });
}

// The newest that is wanted; without `wanted` the oldest that is no older than what the framework
// was compiled with, of the same major.
const CudnnRow* Solver::cudnn_for(const Version& toolkit, const Constraint* wanted) const {
  const auto gpus = capabilities();
  const auto& compiled_with = row_->cudnn->alternatives().front().front().version;
  const CudnnRow* found = nullptr;
  for (const auto& row : tables_.cudnn) {
    if (row.cuda_major != toolkit.major() || !can_be_had(row.release)) continue;
    const bool runs = std::all_of(gpus.begin(), gpus.end(), [&](const auto& gpu) {
      return gpu >= row.least && gpu.major <= row.most.major;
    });
    if (!runs) continue;
    if (wanted && wanted->accepts(row.release)) found = &row;
    if (!wanted && !found && row.release.major() == compiled_with.major() &&
        row.release >= compiled_with) {
      found = &row;
    }
  }
  return found;
}

void Solver::choose_cudnn(const Version& toolkit) {
  const CudnnRow* row = cudnn_for(toolkit, &*row_->cudnn);
  const bool exact = row != nullptr;
  if (!row) row = cudnn_for(toolkit, nullptr);
  if (!row) {
    answer_.findings.push_back(
        {"cudnn.not-available",
         Severity::warning,
         fmt::format("no cuDNN {} for CUDA {} is to be had", row_->cudnn->words(), toolkit.major()),
         {},
         {}});
    return;
  }
  answer_.cudnn = row->release;
  answer_.why.push_back(
      exact
          ? fmt::format("{} {} is made for cuDNN {}", row_->name, row_->label, row_->cudnn->words())
          : fmt::format("{} {} is made for cuDNN {}, which is not to be had; {} is the next of "
                        "the same major",
                        row_->name, row_->label, row_->cudnn->words(), row->release.text()));
}

void Solver::say_framework() {
  const auto& wish = *question_.framework;
  std::optional<Version> cuda;
  if (answer_.toolkit && row_->cuda && row_->cuda->accepts(*answer_.toolkit)) {
    cuda = answer_.toolkit;
  } else if (row_->cuda) {
    cuda = row_->cuda->alternatives().front().front().version;
  }
  if (cuda) {
    answer_.framework_line =
        install_line(tables_, *row_, wish.version ? &*wish.version : nullptr, *cuda);
  }
  switch (row_->shipped) {
    case Shipped::bundled:
      answer_.why.push_back(
          fmt::format("the package of {} brings CUDA itself: to run it needs a driver and no "
                      "toolkit; a toolkit is for building extensions",
                      row_->name));
      break;
    case Shipped::extra:
      answer_.why.push_back(fmt::format(
          "with its extra the package of {} brings CUDA itself; without it, it takes the toolkit",
          row_->name));
      break;
    case Shipped::system:
    case Shipped::source:
      break;
  }
}

}  // namespace

std::optional<CompilerFacts> Machine::taken_by(const Version& toolkit) const {
  if (by_ccbin && !reads_ccbin(toolkit)) return without_ccbin;
  if (compilers.empty()) return std::nullopt;
  return compilers.front();
}

Answer solve(const Tables& tables, const Question& question) {
  return Solver(tables, question).solve();
}

}  // namespace cudaenv::compat
