#include "catalog/components.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "catalog/component_table.hpp"

namespace cudaenv::catalog {
namespace {

constexpr std::array profile_names{"minimal", "runtime", "dev", "full"};  // as in Profile

// What nvcc links into every program by itself; a prefix without them cannot link.
constexpr std::array linked_by_nvcc{"libcudart_static.a", "libcudadevrt.a", "libculibos.a"};

// Of cuda_nvcc, what frameworks call while they run.
constexpr std::array called_at_run_time{"bin/ptxas", "bin/nvlink", "bin/fatbinary"};

// Folders that hold nothing a running program opens, at whatever depth.
constexpr std::array development_folders{"include", "pkg-config", "pkgconfig", "cmake", "samples",
                                         "sample",  "doc",        "docs",      "man",   "stubs"};

Role role_in(const ComponentRules& rules, Profile profile) {
  return rules.roles[static_cast<std::size_t>(profile)];
}

bool is_offered(const Component* component, const Release& release, const Platform& platform) {
  if (!component) return false;
  const auto archives = component->platforms.find(platform);
  return archives != component->platforms.end() && archives->second.for_cuda(release.version);
}

// The component of a row in a release, under its name then or another it had.
const Component* find_row(const ComponentInfo& info, const Release& release) {
  if (const auto* found = release.find(info.name)) return found;
  for (const auto& former : info.former_names) {
    if (const auto* found = release.find(former)) return found;
  }
  return nullptr;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_licence(std::string_view path) {
  return path.starts_with("share/licenses/") || file_name(path).starts_with("LICENSE");
}

bool is_static_library(std::string_view path) {
  return file_name(path).starts_with("lib") && path.ends_with(".a");
}

bool is_needed_while_running(std::string_view component, std::string_view path) {
  if (path.ends_with(".a") || path.ends_with(".pc")) return false;
  if (component == "cuda_nvcc" && !path.starts_with("nvvm/") &&
      std::find(called_at_run_time.begin(), called_at_run_time.end(), path) ==
          called_at_run_time.end()) {
    return false;
  }
  auto folders = text::split(path, '/');
  folders.pop_back();
  return std::none_of(folders.begin(), folders.end(), [](std::string_view folder) {
    return std::find(development_folders.begin(), development_folders.end(), folder) !=
           development_folders.end();
  });
}

}  // namespace

std::optional<Profile> parse_profile(std::string_view name) {
  const auto found = std::find(profile_names.begin(), profile_names.end(), name);
  if (found == profile_names.end()) return std::nullopt;
  return static_cast<Profile>(found - profile_names.begin());
}

std::string_view name_of(Profile profile) {
  return profile_names[static_cast<std::size_t>(profile)];
}

const ComponentInfo* component_info(std::string_view name) {
  const auto& table = component_table();
  const auto index = table.find(name);
  return index ? &table.components[*index] : nullptr;
}

const std::vector<ComponentInfo>& all_components() { return component_table().components; }

Resolution resolve_profile(Profile profile, const Release& release, const Platform& platform) {
  Resolution result;
  const auto& table = component_table();
  for (std::size_t i = 0; i < table.components.size(); ++i) {
    const ComponentRules& rules = table.rules[i];
    const Role role = role_in(rules, profile);
    if (role == Role::none) continue;
    const ComponentInfo& info = table.components[i];
    const Component* found = find_row(info, release);
    if (is_offered(found, release, platform)) {
      result.components.push_back({found->name, role == Role::essential});
    } else if (rules.expected(release.version, platform)) {
      auto& lacking = role == Role::essential ? result.lacking_essential : result.lacking;
      lacking.push_back(rules.name_in(release.version, info.name));
    }
  }
  if (profile == Profile::full) {
    // A component newer than this program: `full` means whatever the release has.
    for (const auto& component : release.components) {
      if (table.find(component.name) || !is_offered(&component, release, platform)) continue;
      result.components.push_back({component.name, false});
    }
  }
  std::sort(result.components.begin(), result.components.end(),
            [](const Wanted& one, const Wanted& other) { return one.component < other.component; });
  std::sort(result.lacking.begin(), result.lacking.end());
  std::sort(result.lacking_essential.begin(), result.lacking_essential.end());
  return result;
}

std::vector<std::string> essential_components(Profile profile, const Version& cuda) {
  std::vector<std::string> names;
  const auto& table = component_table();
  for (std::size_t i = 0; i < table.components.size(); ++i) {
    const ComponentRules& rules = table.rules[i];
    if (role_in(rules, profile) != Role::essential || !rules.span.holds(cuda)) continue;
    names.push_back(rules.name_in(cuda, table.components[i].name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> find_component(std::string_view typed, const Release& release) {
  const std::string word = text::lower(text::trimmed(typed));
  std::string name = word;
  std::replace(name.begin(), name.end(), '-', '_');

  for (const std::string& exact : {word, name}) {
    if (release.find(exact)) return exact;
  }
  const auto& table = component_table();
  const auto known = table.find(name);
  for (std::size_t i = 0; i < table.components.size(); ++i) {
    const auto& aliases = table.rules[i].aliases;
    const bool meant = known == i || std::any_of(aliases.begin(), aliases.end(), [&](auto& alias) {
                         return alias == word || alias == name;
                       });
    if (!meant) continue;
    if (const auto* found = find_row(table.components[i], release)) return found->name;
  }
  for (const std::string_view prefix : {"cuda_", "lib", "nvidia_"}) {
    const std::string full = std::string(prefix) + name;
    if (release.find(full)) return full;
    if (const auto* info = component_info(full)) {
      if (const auto* found = find_row(*info, release)) return found->name;
    }
  }
  return std::nullopt;
}

bool takes(Filter filter, std::string_view component, std::string_view path) {
  if (filter == Filter::all || is_licence(path)) return true;
  if (filter == Filter::runtime_only) return is_needed_while_running(component, path);
  return !is_static_library(path) || std::find(linked_by_nvcc.begin(), linked_by_nvcc.end(),
                                               file_name(path)) != linked_by_nvcc.end();
}

Filter filter_of(Profile profile, bool no_static) {
  if (profile == Profile::runtime) return Filter::runtime_only;
  return no_static ? Filter::no_static : Filter::all;
}

const AddOn* add_on(std::string_view name) {
  const auto& rows = all_add_ons();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const AddOn& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

const std::vector<AddOn>& all_add_ons() { return component_table().add_ons; }

}  // namespace cudaenv::catalog
