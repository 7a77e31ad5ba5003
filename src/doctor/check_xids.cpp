#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "compat/xid.hpp"
#include "doctor/checks.hpp"

namespace cudaenv::doctor {
namespace {

using compat::Severity;

// "3 minutes", in the greatest unit that is whole.
std::string length_text(std::chrono::seconds time) {
  const auto count = static_cast<std::uint64_t>(time.count());
  if (count >= 2 * 86'400) return text::counted(count / 86'400, "day");
  if (count >= 2 * 3600) return text::counted(count / 3600, "hour");
  if (count >= 2 * 60) return text::counted(count / 60, "minute");
  return text::counted(count, "second");
}

// Those of one number on one GPU.
struct Group {
  std::uint64_t times = 0;
  const gpu::Xid* last = nullptr;
};

compat::Finding finding(const Group& group, const compat::XidMeaning& meaning) {
  const auto& last = *group.last;
  compat::Finding finding;
  finding.id = "gpu.xid";
  // A program's own fault is not the machine's.
  finding.severity = meaning.of_program ? Severity::note : Severity::warning;
  finding.seen = fmt::format(
      "the kernel reported {} of the GPU at {}{}{}", meaning.text,
      last.bus_id.empty() ? "an unknown place" : last.bus_id,
      group.times > 1 ? fmt::format(", {} times", group.times) : "",
      last.ago ? fmt::format("{} {} ago", group.times > 1 ? ", last" : ",", length_text(*last.ago))
               : "");
  if (!meaning.cause.empty()) finding.why.push_back(meaning.cause);
  if (!last.words.empty()) finding.why.push_back("it says: " + last.words);
  finding.help = meaning.help;
  return finding;
}

}  // namespace

Findings check_xids(const Observed& seen, const compat::Tables& tables) {
  std::map<std::pair<std::string, unsigned>, Group> groups;
  for (const auto& xid : seen.xids) {
    auto& group = groups[{xid.bus_id, xid.number}];
    ++group.times;
    group.last = &xid;
  }
  Findings findings;
  for (const auto& [key, group] : groups) {
    findings.push_back(finding(group, compat::meaning_of_xid(tables, key.second)));
  }
  // What says something of the GPU comes first.
  std::stable_sort(findings.begin(), findings.end(), [](const auto& one, const auto& other) {
    return one.severity > other.severity;
  });
  return findings;
}

}  // namespace cudaenv::doctor
