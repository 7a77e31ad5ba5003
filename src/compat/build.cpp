#include "compat/build.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv::compat {
namespace {

// Whether `version` is no later than `most`, compared on the numbers that `most` has: 13.3 is not
// later than 13, and 13.3 is later than 13.2.
bool within(const Version& version, const Version& most) {
  return version.first(most.parts().size()) <= most;
}

// The figure of a source that lets later compilers pass, written in words in the table.
bool disputed_in_favour(const CompilerRow& row, const Version& version) {
  const auto end = row.disputed.find_first_not_of("0123456789.");
  const auto other = Version::parse(row.disputed.substr(0, end));
  return other && row.most < *other && within(version, *other);
}

std::string command_of(const CompilerRow& row) {
  return fmt::format("{}{}", row.family == "gcc" ? "g++-" : "clang++-", row.most.major());
}

std::string name_of(const CompilerFacts& compiler) {
  return fmt::format("{} {}", compiler.family, compiler.version.text());
}

std::string install_and_name(const CompilerRow& row, const Version& toolkit) {
  const auto command = command_of(row);
  return fmt::format("install {}, then `{}`", command, compiler_setting(toolkit, command));
}

Finding too_new(const CompilerRow& row, const Version& toolkit, const CompilerFacts& compiler) {
  const bool disputed = disputed_in_favour(row, compiler.version);
  Finding finding{
      "compiler.too-new",
      disputed ? Severity::warning : Severity::error,
      fmt::format("{} is newer than what CUDA {} takes", name_of(compiler), toolkit.text()),
      {fmt::format("its nvcc takes {} up to {}", row.family, row.most.text())},
      {install_and_name(row, toolkit)}};
  if (!row.disputed.empty()) {
    finding.why.push_back(fmt::format("another source says {}", row.disputed));
  }
  return finding;
}

}  // namespace

std::string_view name_of(Fit fit) {
  switch (fit) {
    case Fit::fits:
      return "fits";
    case Fit::too_new:
      return "too-new";
    case Fit::too_old:
      return "too-old";
    case Fit::unknown:
      return "unknown";
  }
  return "unknown";
}

BuildVerdict judge_compiler(const Tables& tables, const Version& toolkit,
                            const CompilerFacts& compiler) {
  const auto* row = tables.compiler(toolkit, compiler.family);
  if (!row) {
    return {Fit::unknown,
            {{"compiler.unknown",
              Severity::note,
              fmt::format("whether CUDA {} takes {} is not in the tables", toolkit.text(),
                          name_of(compiler)),
              {fmt::format("they are of {}", tables.date)},
              {}}}};
  }
  if (!within(compiler.version, row->most)) {
    return {Fit::too_new, {too_new(*row, toolkit, compiler)}};
  }
  if (row->least && compiler.version < *row->least) {
    return {Fit::too_old,
            {{"compiler.too-old",
              Severity::error,
              fmt::format("{} is older than what CUDA {} takes", name_of(compiler), toolkit.text()),
              {fmt::format("its nvcc takes {} from {} to {}", row->family, row->least->text(),
                           row->most.text())},
              {install_and_name(*row, toolkit)}}}};
  }
  return {Fit::fits, {}};
}

bool reads_ccbin(const Version& toolkit) {
  static const Version first = *Version::parse("12.5");
  return toolkit >= first;
}

std::string compiler_setting(const Version& toolkit, const std::string& compiler) {
  if (reads_ccbin(toolkit)) return "export NVCC_CCBIN=" + text::shell_quoted(compiler);
  return "export NVCC_PREPEND_FLAGS=" + text::shell_quoted("-ccbin " + compiler);
}

std::optional<CompilerFacts> choose_compiler(const Tables& tables, const Version& toolkit,
                                             const std::vector<CompilerFacts>& compilers) {
  const CompilerFacts* best = nullptr;
  const auto better = [](const CompilerFacts& one, const CompilerFacts& other) {
    if (one.family != other.family) return one.family == "gcc";
    return one.version > other.version;
  };
  for (const auto& each : compilers) {
    if (judge_compiler(tables, toolkit, each).fit != Fit::fits) continue;
    if (!best || better(each, *best)) best = &each;
  }
  return best ? std::optional(*best) : std::nullopt;
}

BuildVerdict judge_glibc(const Tables& tables, const Version& toolkit, const Version& glibc) {
  BuildVerdict verdict{Fit::fits, {}};
  for (const auto& row : tables.glibc) {
    if (glibc < row.glibc || !row.cuda.accepts(toolkit)) continue;
    verdict.fit = Fit::too_new;
    verdict.findings.push_back(
        {"glibc.headers-clash",
         Severity::error,
         fmt::format("CUDA {} does not compile with the headers of glibc {}", toolkit.text(),
                     glibc.text()),
         {fmt::format("from {} on {}", row.glibc.text(), row.what),
          "no host compiler changes that; programs that are compiled elsewhere run"},
         {"compile in a container with an older C library"}});
    for (const auto& later : tables.toolkits) {
      const bool clashes = std::any_of(
          tables.glibc.begin(), tables.glibc.end(),
          [&](const auto& r) { return glibc >= r.glibc && r.cuda.accepts(later.release); });
      if (later.release < toolkit || clashes) continue;
      auto& help = verdict.findings.back().help;
      help.insert(help.begin(), fmt::format("take CUDA {} or later", later.release.text()));
      break;
    }
    return verdict;
  }
  return verdict;
}

}  // namespace cudaenv::compat
