#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doctor/checks.hpp"

namespace cudaenv::doctor {
namespace {

using compat::Severity;
using Lines = std::vector<std::string>;

// Before it NVIDIA published no manifests, which say what a release is made of.
constexpr std::string_view oldest_to_install = "11.4";

std::string shown(std::string_view path) { return fmt::format("`{}`", text::visible(path, 400)); }

const compat::SonameRow* row_of(const compat::Tables& tables, std::string_view soname) {
  for (const auto& row : tables.sonames) {
    if (row.soname == soname) return &row;
  }
  return nullptr;
}

// What to type for a library that no toolkit here has.
Lines ways_to_get(const compat::SonameRow* row, std::string_view name) {
  if (!row) return {};
  if (name.starts_with("libcudnn")) {
    return {fmt::format("cudaenv install VERSION --with cudnn@{}", soname_major(name).value_or(0))};
  }
  // The newest release that has it is the last bound of the table's range.
  const auto& newest = row->cuda.alternatives().back().back().version;
  if (newest < *Version::parse(oldest_to_install)) {
    return {
        fmt::format("cudaenv cannot install CUDA {}: take NVIDIA's own installer for it, or a "
                    "program made for a newer CUDA",
                    newest.text())};
  }
  return {fmt::format("cudaenv install {}", newest.text())};
}

}  // namespace

Findings check_wanted(const Observed& seen, const compat::Tables& tables) {
  const std::string& name = seen.wanted;
  if (name.empty()) return {};
  const auto* row = row_of(tables, name);
  Lines why;
  if (row) why.push_back(fmt::format("CUDA {} has it ({})", row->cuda.words(), row->component));
  if (name.starts_with("libcudart.so.")) {
    why.emplace_back("every minor of a CUDA major has the same libcudart name from 11 on");
  }
  const auto hits = seen.loader.hits(name);
  if (!hits.empty()) {
    for (const auto& hit : hits) {
      why.push_back(fmt::format("{} through {}", shown(hit.file->path),
                                hit.from.starts_with('/') ? shown(hit.from) : hit.from));
    }
    return {{"library.found",
             Severity::note,
             fmt::format("programs find {}", text::visible(name)),
             std::move(why),
             {}}};
  }
  Lines help;
  for (const auto& path : seen.wanted_in) {
    why.push_back(fmt::format("{} has it, and the loader does not look there", shown(path)));
    const auto owner = std::find_if(seen.toolkits.begin(), seen.toolkits.end(),
                                    [&](const ToolkitFacts& facts) { return facts.lib == path; });
    const bool ours = owner != seen.toolkits.end() && owner->owner == Owner::cudaenv;
    help.push_back(ours ? owner->activation()
                        : fmt::format("export LD_LIBRARY_PATH={}${{LD_LIBRARY_PATH:+:"
                                      "$LD_LIBRARY_PATH}}",
                                      text::shell_quoted(path)));
  }
  if (help.empty()) help = ways_to_get(row, name);
  why.emplace_back("no other library stands in for it, whatever it is called or linked to");
  return {{"library.missing", Severity::error,
           fmt::format("programs do not find {}", text::visible(name)), std::move(why),
           std::move(help)}};
}

}  // namespace cudaenv::doctor
