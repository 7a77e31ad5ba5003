#include "activate/change.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "activate/record.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::activate {
namespace {

constexpr std::string_view active_name = "CUDAENV_ACTIVE";
constexpr std::string_view chosen_by_name = "CUDAENV_CHOSEN_BY";
constexpr std::string_view saved_name = "CUDAENV_SAVED";

// A value as the elements between its colons. The empty list is the empty value, so one empty
// element alone cannot be told from it.
using Elements = std::vector<std::string>;

Elements elements_of(std::string_view value) {
  if (value.empty()) return {};
  const auto parts = text::split(value, ':');
  return {parts.begin(), parts.end()};
}

std::size_t count(const Elements& elements, const std::string& value) {
  return static_cast<std::size_t>(std::count(elements.begin(), elements.end(), value));
}

std::optional<std::string> value_of(const Variables& variables, std::string_view name) {
  const auto found = variables.find(name);
  if (found == variables.end()) return std::nullopt;
  return found->second;
}

// An environment on its way from before to after.
struct Passage {
  Variables variables;
  std::vector<Entry> entries;  // that lists lost or gained
};

void take_out(Passage& passage, const Record::List& list) {
  const auto found = passage.variables.find(list.name);
  if (found == passage.variables.end()) return;
  Elements elements = elements_of(found->second);
  const std::size_t before = elements.size();
  for (const auto& [value, had] : list.entries) {
    if (count(elements, value) <= had) continue;
    elements.erase(std::find(elements.begin(), elements.end(), value));
    passage.entries.push_back({list.name, value});
  }
  if (elements.size() == before) return;
  if (elements.empty() && !list.was_set) {
    passage.variables.erase(found);
  } else {
    found->second = text::join(elements, ":");
  }
}

Passage left(Variables variables) {
  Passage passage{std::move(variables), {}};
  const auto saved = value_of(passage.variables, saved_name);
  for (const auto name : {active_name, chosen_by_name, saved_name}) {
    passage.variables.erase(std::string(name));
  }
  const auto record = decoded(saved.value_or(""));
  if (!record) return passage;
  for (const auto& [name, before, set] : record->variables) {
    const auto found = passage.variables.find(name);
    // Another value is the user's own by now.
    if (found == passage.variables.end() || found->second != set) continue;
    if (before) {
      found->second = *before;
    } else {
      passage.variables.erase(found);
    }
  }
  for (const auto& list : record->lists) take_out(passage, list);
  return passage;
}

void set(Passage& passage, Record& record, const std::string& name, const std::string& value) {
  record.variables.push_back({name, value_of(passage.variables, name), value});
  passage.variables[name] = value;
}

void put_first(Passage& passage, Record& record, const std::string& name, Elements entries) {
  const auto before = value_of(passage.variables, name);
  const Elements elements = elements_of(before.value_or(""));
  // There already by the user's own hand, so not ours to take out.
  if (elements.size() >= entries.size() &&
      std::equal(entries.begin(), entries.end(), elements.begin())) {
    return;
  }
  for (const auto& entry : entries) passage.entries.push_back({name, entry});
  if (name == "PATH" && !before) {
    // Unset, PATH means the system's own folders; set, it means no others than it says.
    entries.insert(entries.end(), {"/usr/bin", "/bin"});
  }
  Record::List list{name, before.has_value(), {}};
  for (const auto& entry : entries) list.entries.push_back({entry, count(elements, entry)});
  record.lists.push_back(std::move(list));
  entries.insert(entries.end(), elements.begin(), elements.end());
  passage.variables[name] = text::join(entries, ":");
}

void enter(Passage& passage, const Prefix& prefix, const Options& options) {
  Record record;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT"}) {
    set(passage, record, name, prefix.path);
  }
  if (options.cudacxx) set(passage, record, "CUDACXX", prefix.path + "/bin/nvcc");
  put_first(passage, record, "PATH", {prefix.path + "/bin"});
  if (options.ld_path) {
    Elements folders{prefix.path + "/lib"};
    folders.insert(folders.end(), prefix.libraries.begin(), prefix.libraries.end());
    put_first(passage, record, "LD_LIBRARY_PATH", std::move(folders));
  }
  // A list of ours in its place would hide the system's manuals; man finds those of a toolkit by
  // its folder in PATH then.
  if (!value_of(passage.variables, "MANPATH").value_or("").empty()) {
    put_first(passage, record, "MANPATH", {prefix.path + "/share/man"});
  }
  put_first(passage, record, "PKG_CONFIG_PATH", {prefix.path + "/pkg-config"});

  passage.variables[std::string(active_name)] = prefix.path;
  if (!options.chosen_by.empty()) {
    passage.variables[std::string(chosen_by_name)] = options.chosen_by;
  }
  passage.variables[std::string(saved_name)] = encoded(record);
}

void check_path(const std::string& path, const Options& options) {
  if (!path.starts_with('/') || path.find('\0') != std::string::npos) {
    throw Error(ErrorKind::usage, fmt::format("`{}` is not an absolute path", text::visible(path)));
  }
  // The loader takes a semicolon for a colon.
  const auto at = path.find_first_of(options.ld_path ? ":;" : ":");
  if (at == std::string::npos) return;
  throw Error(ErrorKind::usage, fmt::format("cannot activate `{}`", text::visible(path)))
      .because(fmt::format("`{}` in a path separates the folders of {}", path[at],
                           path[at] == ':' ? "PATH" : "LD_LIBRARY_PATH"))
      .help("move the toolkits: set CUDAENV_ROOT to a folder without it, and install there");
}

Change between(const Variables& before, const Variables& after) {
  Change change;
  for (const auto& [name, value] : after) {
    if (value_of(before, name) != value) change.variables[name] = value;
  }
  for (const auto& [name, value] : before) {
    if (!after.contains(name)) change.variables[name] = std::nullopt;
  }
  return change;
}

// Those of `entries` that are not among `others`.
std::vector<Entry> without(const std::vector<Entry>& entries, const std::vector<Entry>& others) {
  std::vector<Entry> result;
  for (const auto& entry : entries) {
    if (std::find(others.begin(), others.end(), entry) == others.end()) result.push_back(entry);
  }
  return result;
}

}  // namespace

Change change(const Variables& environment, const Prefix& prefix, const Options& options) {
  check_path(prefix.path, options);
  for (const auto& folder : prefix.libraries) check_path(folder, options);
  const Passage out = left(environment);
  Passage in{out.variables, {}};
  enter(in, prefix, options);
  Change change = between(environment, in.variables);
  change.added = without(in.entries, out.entries);
  change.removed = without(out.entries, in.entries);
  return change;
}

Change leave(const Variables& environment) {
  Passage out = left(environment);
  Change change = between(environment, out.variables);
  change.removed = std::move(out.entries);
  return change;
}

Variables applied(Variables environment, const Change& change) {
  for (const auto& [name, value] : change.variables) {
    if (value) {
      environment[name] = *value;
    } else {
      environment.erase(name);
    }
  }
  return environment;
}

std::optional<Active> active(const Variables& environment) {
  const auto prefix = value_of(environment, active_name);
  if (!prefix || prefix->empty()) return std::nullopt;
  return Active{*prefix, value_of(environment, chosen_by_name).value_or("")};
}

bool is_record(std::string_view name) {
  return name == active_name || name == chosen_by_name || name == saved_name;
}

}  // namespace cudaenv::activate
