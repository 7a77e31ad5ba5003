#include "commands/choice.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "activate/change.hpp"
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "commands/compat_tables.hpp"
#include "compat/suits.hpp"
#include "sys/file.hpp"

namespace cudaenv::commands {

namespace fs = std::filesystem;

namespace {

std::string spelt(const Spec& spec, const Wanted& wanted) {
  std::string words = text::shell_quoted(spec.text());
  for (const auto& [name, version] : wanted.libraries) {
    words += fmt::format(" --with {}{}", name, version ? "@" + version->text() : "");
  }
  if (!wanted.framework.empty()) words += " --for " + text::shell_quoted(wanted.framework);
  return words;
}

// Says that a toolkit is there whose receipt cannot be read, and what to do about it.
Error telling_of(Error error, const store::Oddity& oddity) {
  error = std::move(error).because(fmt::format(
      "`{}` cannot be used: {}", text::visible(oddity.path.string(), 1000), oddity.why));
  for (const auto& advice : oddity.advice) error = std::move(error).help(advice);
  return error;
}

// Whether the spec would mean this folder if its receipt could be read.
bool may_mean(const Spec& spec, const std::string& folder) {
  if (folder == spec.text() || folder == "cuda-" + spec.text()) return true;
  if (std::holds_alternative<Spec::Name>(spec.value())) return false;
  const auto release = store::version_in_plain_name(folder);
  return release && spec.accepts(*release);
}

Error not_installed(const Spec& spec, const Wanted& wanted, const store::Inventory& inventory) {
  std::string words = fmt::format("`{}`", text::visible(spec.text()));
  for (const auto& [name, version] : wanted.libraries) {
    words += fmt::format(" with {}{}", name, version ? " " + version->text() : "");
  }
  if (!wanted.framework.empty()) words += " for " + text::visible(wanted.framework);
  Error error(ErrorKind::missing, fmt::format("no installed toolkit matches {}", words));
  std::vector<std::string> names;
  for (const auto& prefix : inventory.prefixes) names.push_back(store::short_name(prefix.receipt));
  if (!names.empty()) {
    error = std::move(error).because(fmt::format("installed: {}", fmt::join(names, ", ")));
  }
  const auto unreadable = inventory.unreadable();
  const auto meant = std::find_if(unreadable.begin(), unreadable.end(), [&](const auto& oddity) {
    return may_mean(spec, oddity.path.filename().string());
  });
  if (meant != unreadable.end()) return telling_of(std::move(error), *meant);
  if (std::holds_alternative<Spec::Name>(spec.value())) {
    return with_suggestion(std::move(error), spec.text(), names,
                           "see what is installed with `cudaenv list`");
  }
  if (std::holds_alternative<Spec::System>(spec.value())) {
    return std::move(error).help(
        "cudaenv activates what it installed; `cudaenv doctor` tells what else is here");
  }
  return std::move(error).help(install_advice(spelt(spec, wanted)));
}

bool has(const store::Receipt& receipt, const catalog::Project::Library& library) {
  const auto* row = catalog::add_on(library.name);
  const auto* component = row ? receipt.find(row->component) : nullptr;
  if (!component) return false;
  const auto version = Version::parse(component->version);
  return !library.version || (version && version->starts_with(*library.version));
}

// How a toolkit goes with the framework, by the tables.
class FrameworkFit {
 public:
  FrameworkFit(const Wanted& wanted, const Host& host) : wanted_(wanted) {
    if (wanted.framework.empty()) return;
    tables_ = known_frameworks(host).tables;
    wish_ = compat::FrameworkWish::parse(*tables_, wanted.framework);
  }

  compat::Suitability of(const store::Receipt& receipt) const {
    if (!wish_) return compat::Suitability::made_for;
    const auto& libraries = wanted_.libraries;
    compat::InstalledToolkit installed{receipt.cuda, std::nullopt};
    if (const auto* cudnn = receipt.find("cudnn")) {
      installed.cudnn = Version::parse(cudnn->version);
    }
    installed.judges_cudnn = std::none_of(libraries.begin(), libraries.end(),
                                          [](const auto& each) { return each.name == "cudnn"; });
    return compat::suitability(*tables_, *wish_, installed);
  }

 private:
  const Wanted& wanted_;
  std::optional<compat::Tables> tables_;
  std::optional<compat::FrameworkWish> wish_;
};

// Those that a spec could mean and that have what is wanted, of a framework's the best: what is in
// a prefix only the whole receipt tells.
store::Inventory with_wanted(const store::Inventory& all, const Spec& spec, const Wanted& wanted,
                             const Host& host) {
  store::Inventory result;
  const FrameworkFit fit(wanted, host);
  const bool by_name = std::holds_alternative<Spec::Name>(spec.value());
  auto best = compat::Suitability::works;
  for (const auto& prefix : all.prefixes) {
    if (!by_name && !spec.accepts(prefix.receipt.cuda)) continue;
    const auto receipt = store::receipt_in(prefix.path);
    const bool all_there =
        receipt && std::all_of(wanted.libraries.begin(), wanted.libraries.end(),
                               [&](const auto& library) { return has(*receipt, library); });
    const auto suits = all_there ? fit.of(*receipt) : compat::Suitability::none;
    // A name means one, however well another one does.
    if (suits < best && !(by_name && suits > compat::Suitability::none)) continue;
    if (suits > best && !by_name) result.prefixes.clear();
    best = std::max(best, suits);
    result.prefixes.push_back(prefix);
  }
  return result;
}

// With all that its receipt says: of the many that were looked through, only this one is read so.
store::InstalledPrefix whole(store::InstalledPrefix found) {
  if (auto receipt = store::receipt_in(found.path)) {
    receipt->name = found.receipt.name;  // a prefix is called by its folder
    found.receipt = std::move(*receipt);
  }
  return found;
}

const store::InstalledPrefix* newest_for_driver(const store::Inventory& inventory,
                                                const Host& host) {
  std::vector<Version> installed;
  for (const auto& prefix : inventory.prefixes) installed.push_back(prefix.receipt.cuda);
  const auto newest = commands::newest_for_driver(installed, host);
  return newest ? inventory.find(Spec::parse(newest->text())) : nullptr;
}

}  // namespace

std::string ProjectFile::place() const { return fmt::format("{}:{}", path.string(), project.line); }

std::vector<fs::path> project_places(const Host& host) {
  const fs::path ceiling(host.environment.get("CUDAENV_CEILING").value_or(""));
  std::vector<fs::path> places;
  for (fs::path folder = host.directory; !folder.empty(); folder = folder.parent_path()) {
    places.push_back(folder / project_name);
    // A slash at its end does not count.
    if (folder == ceiling || folder / "" == ceiling || folder == folder.root_path()) break;
  }
  return places;
}

bool is_project_file(const fs::path& path) {
  try {
    const auto stat = sys::stat_target(path);
    return stat && stat->kind == sys::Kind::regular;
  } catch (const Error&) {
    return false;  // not for this user to look at
  }
}

std::optional<ProjectFile> project_file(const Host& host) {
  for (const auto& path : project_places(host)) {
    if (!is_project_file(path)) continue;
    ProjectFile file{path,
                     catalog::parse_project(sys::read_file(path, longest_project), path.string())};
    for (const auto& line : file.project.odd) {
      host.progress.note(fmt::format("`{}` {}", text::visible(path.string(), 400), line));
    }
    return file;
  }
  return std::nullopt;
}

const store::Inventory& Toolkits::inventory() {
  if (!inventory_) {
    inventory_ = store::Inventory::read(reading_roots(host_), store::Inventory::Detail::summary);
  }
  return *inventory_;
}

std::optional<store::InstalledPrefix> Toolkits::at(const fs::path& path) {
  return store::Inventory::read_at(path, reading_roots(host_));
}

Wanted wanted_by(const catalog::Project& project) { return {project.libraries, project.framework}; }

bool is_made_for(const Wanted& wanted, const store::Receipt& receipt, const Host& host) {
  return FrameworkFit(wanted, host).of(receipt) == compat::Suitability::made_for;
}

std::optional<Choice> Toolkits::find(const Spec& spec, const Wanted& wanted) {
  const auto found_in = [&](const store::Inventory& all) -> std::optional<Choice> {
    const bool any = wanted.libraries.empty() && wanted.framework.empty();
    const auto fit = any ? all : with_wanted(all, spec, wanted, host_);
    const auto* found = std::holds_alternative<Spec::Auto>(spec.value())
                            ? newest_for_driver(fit, host_)
                            : fit.find(spec);
    if (!found) return std::nullopt;
    return Choice{whole(*found), ChosenBy::spec, spec.text()};
  };
  if (!inventory_) {
    auto choice = found_in(store::Inventory::read_for(spec, reading_roots(host_)));
    if (choice) return choice;
  }
  return found_in(inventory());
}

Choice Toolkits::named(const std::string& typed, const Wanted& wanted) {
  const Spec spec = Spec::parse(typed);
  if (auto choice = find(spec, wanted)) return std::move(*choice);
  throw not_installed(spec, wanted, inventory());
}

std::optional<Choice> Toolkits::active() {
  const auto& environment = host_.environment;
  if (const auto active = activate::active(environment.variables())) {
    const fs::path path(active->prefix);
    const std::string where = active->chosen_by.empty() ? "CUDAENV_ACTIVE" : active->chosen_by;
    // Another user's root, as with `sudo`, counts too.
    if (auto receipt = store::receipt_in(path)) {
      receipt->name = path.filename().string();
      return Choice{{path, std::move(*receipt), store::Layout::user(path.parent_path())},
                    where.starts_with('/') ? ChosenBy::project : ChosenBy::shell,
                    where};
    }
    throw Error(ErrorKind::missing, fmt::format("the active toolkit `{}` is not there any more",
                                                text::visible(path.string(), 400)))
        .help("leave it with `eval \"$(cudaenv deactivate)\"`, or activate another");
  }
  const auto home = environment.non_empty("CUDA_HOME");
  const auto found = home ? at(*home) : std::nullopt;
  if (!found) return std::nullopt;
  return Choice{whole(*found), ChosenBy::shell, "CUDA_HOME"};
}

Choice Toolkits::of(const ProjectFile& file) {
  try {
    Choice choice = named(file.project.cuda.text(), wanted_by(file.project));
    choice.by = ChosenBy::project;
    choice.where = file.place();
    return choice;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::missing && error.kind() != ErrorKind::usage) throw;
    const auto asked = fmt::format("`{}` line {} asks for it",
                                   text::visible(file.path.string(), 400), file.project.line);
    throw Error(error).because(asked);
  }
}

std::optional<Choice> Toolkits::of_project() {
  const auto file = project_file(host_);
  if (!file) return std::nullopt;
  return of(*file);
}

std::optional<Choice> Toolkits::by_default() {
  for (const auto& root : reading_roots(host_)) {
    const auto link = root.default_link();
    if (const auto found = at(link)) {
      return Choice{whole(*found), ChosenBy::default_link, link.string()};
    }
  }
  return std::nullopt;
}

std::optional<Choice> Toolkits::asked_for() {
  if (auto choice = active()) return choice;
  return of_project();
}

Choice Toolkits::chosen(const std::string& spec) {
  if (!spec.empty()) return named(spec);
  if (auto choice = asked_for()) return std::move(*choice);
  if (auto choice = by_default()) return std::move(*choice);
  throw none_chosen();
}

Error Toolkits::none_chosen() {
  Error error(ErrorKind::missing, "no toolkit is active and there is no default");
  for (const auto& oddity : inventory().unreadable()) {
    for (const auto& root : reading_roots(host_)) {
      const auto chosen = default_prefix(root);
      if (chosen && *chosen == sys::canonical(oddity.path)) {
        return telling_of(std::move(error), oddity);
      }
    }
  }
  if (inventory().prefixes.empty()) {
    return std::move(error).help("install one with `cudaenv install latest`");
  }
  return std::move(error).help("name one, or make one the default with `cudaenv default VERSION`");
}

std::vector<Candidate> candidates(const Host& host) {
  Toolkits toolkits(host);
  std::vector<Candidate> result;
  const auto add = [&](std::optional<Choice> choice) {
    if (choice) result.push_back({std::move(choice->prefix), choice->by, std::move(choice->where)});
  };
  add(toolkits.active());
  if (result.empty()) {
    add(toolkits.of_project());
  } else if (const auto file = project_file(host)) {
    // It does not hold, so it may ask for what is not there.
    auto choice = toolkits.find(file->project.cuda, wanted_by(file->project));
    result.push_back({choice ? std::optional(std::move(choice->prefix)) : std::nullopt,
                      ChosenBy::project, file->place()});
  }
  add(toolkits.by_default());
  if (result.empty()) throw toolkits.none_chosen();
  return result;
}

}  // namespace cudaenv::commands
