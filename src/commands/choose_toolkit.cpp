#include "commands/choose_toolkit.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "catalog/index.hpp"
#include "commands/gpu_state.hpp"
#include "doctor/compiler_facts.hpp"
#include "gpu/driver_report.hpp"
#include "sys/tree.hpp"

namespace cudaenv::commands {
namespace {

// More than these make nobody wiser.
constexpr std::size_t shown_rejections = 3;

// The reason without the release that it speaks of, to tell whether others have the same.
std::string kind_of(const compat::Rejection& rejection) {
  std::string reason = rejection.reason;
  const std::string& release = rejection.toolkit.text();
  for (auto at = reason.find(release); at != std::string::npos; at = reason.find(release)) {
    reason.erase(at, release.size());
  }
  return reason;
}

// "not 12.0.0 to 13.4.2: ...", the nearest first: those are what one would have expected.
std::vector<std::string> rejections(const std::vector<compat::Rejection>& newest_first) {
  std::vector<std::string> lines;
  for (auto first = newest_first.rbegin(); first != newest_first.rend();) {
    auto last = first;
    while (std::next(last) != newest_first.rend() && kind_of(*std::next(last)) == kind_of(*first)) {
      ++last;
    }
    const std::string& from = first->toolkit.text();
    const std::string& to = last->toolkit.text();
    lines.push_back(
        fmt::format("not {}{}: {}", from, first == last ? "" : " to " + to, first->reason));
    if (lines.size() == shown_rejections) break;
    first = std::next(last);
  }
  return lines;
}

}  // namespace

compat::Machine this_machine(const Host& host) {
  const sys::Tree tree;
  compat::Machine machine;
  auto report = gpu::driver_report(tree, host.environment, host.interrupt, driver_timeout(host));
  if (report.facts.version() || report.facts.cuda) machine.driver = std::move(report.facts);
  // All of them: what is hidden from this shell is not gone.
  machine.gpus = std::move(report.gpus);
  machine.glibc = doctor::glibc_version(tree);
  doctor::host_compilers(tree, host.environment, host.interrupt).tell(machine);
  return machine;
}

const compat::Answer& ToolkitChooser::choose(const std::vector<Version>& candidates) {
  return choose(candidates, catalog::versions("cudnn"));
}

const compat::Answer& ToolkitChooser::choose(const std::vector<Version>& candidates,
                                             const std::vector<Version>& cudnn) {
  if (!known_) known_ = known_tables(host_);
  if (!machine_) machine_ = this_machine(host_);
  compat::Question question{*machine_, std::nullopt, candidates, cudnn};
  if (!framework_.empty()) {
    question.framework = compat::FrameworkWish::parse(known_->tables, framework_);
  }
  answer_ = compat::solve(known_->tables, question);
  return *answer_;
}

void ToolkitChooser::judge_cudnn(const Version& cudnn) {
  if (!answer_ || !answer_->toolkit || framework_.empty()) return;
  compat::Surroundings around;
  around.toolkit = answer_->toolkit;
  around.cudnn = cudnn;
  const auto wish = compat::FrameworkWish::parse(known_->tables, framework_);
  for (auto& finding : compat::judge_framework(known_->tables, wish, around).findings) {
    if (finding.id.starts_with("framework.cudnn-")) answer_->findings.push_back(std::move(finding));
  }
}

std::vector<std::string> reasons_for(const compat::Answer& answer) {
  std::vector<std::string> lines;
  if (!answer.toolkit) return lines;
  lines.push_back(
      fmt::format("chose CUDA {}: {}", answer.toolkit->text(), fmt::join(answer.why, "; ")));
  for (auto& line : rejections(answer.newer)) lines.push_back(std::move(line));
  for (const auto& finding : answer.findings) {
    if (finding.severity == compat::Severity::note) continue;
    lines.push_back(finding.help.empty()
                        ? finding.seen
                        : fmt::format("{}: {}", finding.seen, fmt::join(finding.help, "; ")));
  }
  if (!answer.framework_line.empty()) {
    lines.push_back("to install the framework: " + answer.framework_line);
  }
  return lines;
}

Error no_toolkit_error(const compat::Answer& answer) {
  Error error(ErrorKind::missing, "no CUDA release that can be had will do");
  for (const auto& finding : answer.findings) {
    if (finding.severity != compat::Severity::error && finding.id != "framework.unknown") continue;
    error = std::move(error).because(finding.seen);
    for (const auto& why : finding.why) error = std::move(error).because(why);
    for (const auto& help : finding.help) error = std::move(error).help(help);
  }
  for (std::size_t i = 0; i < std::min(answer.newer.size(), shown_rejections); ++i) {
    const auto& each = answer.newer[i];
    error = std::move(error).because(fmt::format("{}: {}", each.toolkit.text(), each.reason));
  }
  if (!answer.toolkit_needed && !answer.framework_line.empty()) {
    error = std::move(error).help(
        fmt::format("the framework needs no toolkit to run: `{}`", answer.framework_line));
  }
  return std::move(error).help("see what works with what: `cudaenv compat`");
}

}  // namespace cudaenv::commands
