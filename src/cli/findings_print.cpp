#include "cli/findings_print.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace cudaenv::cli {
namespace {

// Names of files, GPUs and libraries are a stranger's, and this goes to a terminal.
std::string shown(const std::string& line) { return text::visible(line, 4000); }

std::string coloured(compat::Severity severity, const Style& style) {
  const auto name = compat::name_of(severity);
  switch (severity) {
    case compat::Severity::error:
      return style.red(name);
    case compat::Severity::warning:
      return style.yellow(name);
    case compat::Severity::note:
      return style.bold(name);
  }
  return std::string(name);
}

}  // namespace

std::string findings_text(const std::vector<compat::Finding>& findings, const Style& style) {
  auto sorted = findings;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& one, const auto& other) {
    return one.severity > other.severity;
  });
  std::string text;
  for (const auto& finding : sorted) {
    text += fmt::format("{}: {} {}\n", coloured(finding.severity, style), shown(finding.seen),
                        style.dim(fmt::format("[{}]", finding.id)));
    for (const auto& why : finding.why) text += fmt::format("  {}\n", shown(why));
    for (const auto& help : finding.help) {
      text += fmt::format("{}: {}\n", style.cyan("help"), shown(help));
    }
  }
  return text;
}

nlohmann::ordered_json findings_json(const std::vector<compat::Finding>& findings) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& finding : findings) {
    list.push_back({{"id", finding.id},
                    {"severity", compat::name_of(finding.severity)},
                    {"seen", finding.seen},
                    {"why", finding.why},
                    {"help", finding.help}});
  }
  return list;
}

}  // namespace cudaenv::cli
