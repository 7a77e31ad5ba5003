#include "commands/sync.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "catalog/index.hpp"
#include "commands/install_choice.hpp"
#include "sys/file.hpp"

namespace cudaenv::commands {

namespace fs = std::filesystem;

namespace {

using Archives = std::vector<catalog::Lock::Archive>;

constexpr std::uint64_t longest_lock = 4u << 20;

ProjectFile needed_project(const Host& host) {
  if (auto file = project_file(host)) return std::move(*file);
  throw Error(ErrorKind::missing, "no `.cudaenv` holds here")
      .help("write one with `cudaenv local 12.1`");
}

fs::path lock_path(const ProjectFile& file) { return file.path.string() + ".lock"; }

InstallRequest asked_by(const catalog::Project& project, InstallRequest request) {
  request.spec = project.cuda.text();
  request.framework = project.framework;
  if (project.profile) request.profile = catalog::name_of(*project.profile);
  for (const auto& [name, version] : project.libraries) {
    request.with.push_back(version ? fmt::format("{}@{}", name, version->text()) : name);
  }
  return request;
}

// "11.8 or 12.1": what the builds of a framework are made for; empty where it is not known.
std::string releases_for(const std::string& framework, const Host& host) {
  const auto tables = known_frameworks(host).tables;
  std::vector<std::string> releases;
  try {
    const auto wish = compat::FrameworkWish::parse(tables, framework);
    for (const auto* row : compat::rows_for(tables, wish)) {
      if (row->cuda) releases.push_back(row->cuda->words());
    }
  } catch (const Error&) {
    return {};  // the word itself is what is wrong
  }
  return text::join(releases, " or ");
}

// Names the file, where release and framework that it asks for do not go together.
PreparedInstall prepare_for(const ProjectFile& file, const InstallRequest& request,
                            const Host& host) {
  try {
    return prepare_install(request, host);
  } catch (const Error& error) {
    const auto& project = file.project;
    const bool by_framework =
        error.kind() == ErrorKind::missing || error.kind() == ErrorKind::usage;
    if (project.framework.empty() || !by_framework) throw;
    auto both = error.under(fmt::format("`{}` asks for CUDA {} and for {}",
                                        text::visible(file.path.string(), 400), project.cuda.text(),
                                        text::visible(project.framework)));
    const auto takes = releases_for(project.framework, host);
    throw takes.empty() ? both : std::move(both).help("it is made for CUDA " + takes);
  }
}

// What the framework would be given here, which depends on driver and GPUs.
bool would_be_chosen(const catalog::Project& project, const store::Receipt& receipt,
                     const Host& host) {
  auto candidates = catalog::versions("cuda");
  std::erase_if(candidates, [&](const auto& version) { return !project.cuda.accepts(version); });
  ToolkitChooser chooser(host, project.framework);
  const auto& answer = chooser.choose(candidates);
  if (!answer.toolkit || *answer.toolkit != receipt.cuda) return false;
  const bool named = std::any_of(project.libraries.begin(), project.libraries.end(),
                                 [](const auto& library) { return library.name == "cudnn"; });
  if (!answer.cudnn || named) return true;
  const auto* has = receipt.find("cudnn");
  const auto version = has ? Version::parse(has->version) : std::nullopt;
  return version && version->starts_with(answer.cudnn->first(3));
}

bool has_profile(const store::Receipt& receipt, const std::optional<catalog::Profile>& wanted) {
  const auto has = catalog::parse_profile(receipt.profile);
  return !wanted || (has && *has >= *wanted);
}

bool holds(const store::Receipt& receipt, const Archives& archives) {
  return std::all_of(archives.begin(), archives.end(), [&](const auto& archive) {
    const auto* has = receipt.find(archive.component);
    return has && has->sha256 == archive.sha256;
  });
}

catalog::Lock needed_lock(const ProjectFile& file) {
  const auto path = lock_path(file);
  const auto text = sys::read_if_present(path, longest_lock);
  if (!text) {
    throw Error(ErrorKind::missing, fmt::format("there is no `{}`", path.string()))
        .help("write it with `cudaenv lock`");
  }
  auto lock = catalog::read_lock(*text, path.string());
  if (lock.asked == catalog::asked_of(file.project)) return lock;
  throw Error(ErrorKind::missing, "`.cudaenv` and `.cudaenv.lock` disagree")
      .because(fmt::format("`{}` was changed since, or by hand", file.path.string()))
      .help("lock anew with `cudaenv lock`");
}

const Archives& for_this_machine(const catalog::Lock& lock, const InstallRequest& request) {
  const auto platform = choose_platform(request.platform, lock.cuda).name();
  const auto found = lock.platforms.find(platform);
  if (found != lock.platforms.end()) return found->second;
  throw Error(ErrorKind::missing, fmt::format("`.cudaenv.lock` has nothing for {}", platform))
      .help(fmt::format("lock it with `cudaenv lock --platform {}`", platform));
}

// A plan that gives other bytes than the lock's is not run. What the prefix has besides stays.
void refuse_other_archives(const install::Plan& plan, const Archives& archives) {
  std::vector<std::string> wrong;
  for (const auto& archive : archives) {
    const auto part = std::find_if(
        plan.parts.begin(), plan.parts.end(),
        [&](const install::Part& each) { return each.offer.component == archive.component; });
    if (part == plan.parts.end()) {
      wrong.push_back(fmt::format("{} {} is not there", archive.component, archive.version));
    } else if (part->offer.sha256 != archive.sha256) {
      wrong.push_back(fmt::format("{}: locked is {}, there is {}", archive.component,
                                  archive.sha256.hex(), part->offer.sha256.hex()));
    }
  }
  for (const auto& part : plan.parts) {
    const bool locked = std::any_of(archives.begin(), archives.end(), [&](const auto& archive) {
      return archive.component == part.offer.component;
    });
    const auto* has = plan.present ? plan.present->find(part.offer.component) : nullptr;
    if (!locked && !(has && has->sha256 == part.offer.sha256)) {
      wrong.push_back(fmt::format("{} is not locked", part.offer.component));
    }
  }
  if (wrong.empty()) return;
  Error error(ErrorKind::corrupt,
              fmt::format("{} has other archives than `.cudaenv.lock`", plan.source));
  for (const auto& line : wrong) error = std::move(error).because(line);
  throw std::move(error).help(
      "lock anew with `cudaenv lock`, or name the source that was locked with --source or "
      "--mirror");
}

SyncResult sync_locked(SyncResult result, const SyncRequest& request, bool only_check,
                       const Host& host) {
  const auto lock = needed_lock(result.file);
  const auto& archives = for_this_machine(lock, request.install);
  Toolkits toolkits(host);
  for (const auto& prefix : toolkits.inventory().prefixes) {
    if (!(prefix.receipt.cuda == lock.cuda)) continue;
    const auto receipt = store::receipt_in(prefix.path);
    if (!receipt || !holds(*receipt, archives)) continue;
    result.present = prefix;
    return result;
  }
  if (only_check) return result;
  auto install = request.install;
  install.spec = lock.cuda.text();
  install.profile = catalog::name_of(lock.profile);
  // A framework's cuDNN is locked, too, without having been asked for by name.
  for (const auto& row : catalog::all_add_ons()) {
    const auto archive = std::find_if(archives.begin(), archives.end(), [&](const auto& each) {
      return each.component == row.component;
    });
    if (archive != archives.end()) {
      install.with.push_back(row.name + "@" + archive->version);
    } else if (lock.asked.libraries.contains(row.name)) {
      install.with.push_back(row.name);
    }
  }
  result.todo = prepare_install(install, host);
  if (result.todo->already) {
    throw Error(ErrorKind::missing,
                fmt::format("`{}` was made of other archives than `.cudaenv.lock` has",
                            result.todo->prefix.string()))
        .help(fmt::format("remove it with `cudaenv uninstall {}`, then run this again",
                          store::short_name(*result.todo->plan.present)));
  }
  refuse_other_archives(result.todo->plan, archives);
  return result;
}

Archives archives_of(const install::Plan& plan) {
  Archives archives;
  for (const auto& part : plan.parts) {
    archives.push_back({part.offer.component, part.offer.version,
                        part.offer.urls.empty() ? "" : shown_url(part.offer.urls.front()),
                        part.offer.sha256, part.offer.size,
                        std::string(install::name_of(part.filter))});
  }
  return archives;
}

// Those that could be locked for beside this machine's.
std::vector<std::string> other_platforms(const std::string& own) {
  std::vector<std::string> result;
  for (const auto& name : Platform::all()) {
    if (name.starts_with("linux-") && name != "linux-all" && name != own) result.push_back(name);
  }
  return result;
}

std::optional<PreparedInstall> if_there(const InstallRequest& request, const Host& host) {
  try {
    auto prepared = prepare_install(request, host);
    if (prepared.plan.unusable.empty() && !prepared.plan.parts.empty()) return prepared;
    return std::nullopt;
  } catch (const Error& error) {
    // A platform that has no such release or library is left out.
    if (error.kind() != ErrorKind::missing) throw;
    return std::nullopt;
  }
}

}  // namespace

SyncResult sync(const SyncRequest& request, bool only_check, const Host& host) {
  SyncResult result{needed_project(host), std::nullopt, std::nullopt};
  if (request.locked) return sync_locked(std::move(result), request, only_check, host);
  const auto& project = result.file.project;
  auto install = asked_by(project, request.install);
  const auto wanted = wanted_by(project);
  if (auto choice = Toolkits(host).find(project.cuda, wanted)) {
    const auto& receipt = choice->prefix.receipt;
    // Where nothing better can be had, what works is right.
    const bool right =
        is_made_for(wanted, receipt, host) || would_be_chosen(project, receipt, host);
    if (right && has_profile(receipt, project.profile)) {
      result.present = std::move(choice->prefix);
      return result;
    }
    if (right) {
      // The same toolkit with more in it.
      install.spec = receipt.cuda.text();
      install.name = receipt.name;
    }
  }
  if (!only_check) result.todo = prepare_for(result.file, install, host);
  return result;
}

LockResult lock(const InstallRequest& source, const std::vector<std::string>& platforms,
                const Host& host) {
  const auto file = needed_project(host);
  auto request = asked_by(file.project, source);
  request.force = true;  // all of it, whatever is installed
  request.platform = platforms.empty() ? "" : platforms.front();
  auto first = prepare_for(file, request, host);
  if (!first.plan.unusable.empty()) throw unusable_error(first);
  const auto& wish = first.plan.wish;
  LockResult result{lock_path(file),
                    {catalog::asked_of(file.project),
                     wish.cuda,
                     wish.profile.value_or(catalog::Profile::dev),
                     {}}};
  result.lock.platforms[wish.platform.name()] = archives_of(first.plan);

  auto others = platforms;
  if (!others.empty()) {
    others.erase(others.begin());
  } else if (first.plan.source != "wheels") {
    others = other_platforms(wish.platform.name());
  }
  // What was chosen here for a framework holds for the other machines, too.
  request = first.request;
  request.spec = wish.cuda.text();
  for (const auto& name : others) {
    request.platform = name;
    if (platforms.empty()) {
      const auto prepared = if_there(request, host);
      if (prepared) result.lock.platforms[name] = archives_of(prepared->plan);
      continue;
    }
    const auto prepared = prepare_install(request, host);
    if (!prepared.plan.unusable.empty()) throw unusable_error(prepared);
    result.lock.platforms[name] = archives_of(prepared.plan);
  }
  const auto text = catalog::write_lock(result.lock);
  result.changed = sys::read_if_present(result.file, longest_lock) != text;
  if (result.changed) sys::write_atomically(result.file, text, 0644, false);
  return result;
}

}  // namespace cudaenv::commands
