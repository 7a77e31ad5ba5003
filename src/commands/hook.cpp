#include "commands/hook.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "activate/change.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "catalog/components.hpp"
#include "catalog/index.hpp"
#include "catalog/project.hpp"
#include "commands/choice.hpp"
#include "commands/use.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"

namespace cudaenv::commands {

namespace fs = std::filesystem;

namespace {

using activate::HookState;
using activate::WatchedFile;

constexpr std::int64_t second = 1'000'000'000;

// What the project asks for, if that can be.
struct Wanted {
  std::string project{};  // the fingerprint of file and text; empty: no project
  std::optional<ProjectFile> file{};
  std::optional<fs::path> prefix{};
  std::vector<std::string> problems{};
  bool missing = false;  // it is to be installed
};

// From the current folder where that is the same: shorter, and right when the folder is moved.
std::string as_seen(const fs::path& path, const Host& host, bool physical) {
  return physical ? path.lexically_relative(host.directory).string() : path.string();
}

WatchedFile watched(const fs::path& path) {
  WatchedFile file{path.string()};
  // Looked at before it is read: what changes in between shows as a difference.
  if (const auto stat = sys::stat_target(path)) {
    file.modified = stat->modified_ns / second;
    file.changed = stat->changed_ns / second;
    file.inode = stat->inode;
    file.size = stat->size;
    // Of the next change the kernel takes the time of its last tick.
    constexpr std::int64_t tick = second / 50;
    file.settled = (sys::now_ns() - tick) / second > file.changed;
  }
  return file;
}

// One line of an error and the first thing to type.
std::string in_one_line(const Error& error) {
  std::string line = error.what();
  if (!error.advice().empty()) line += "; " + error.advice().front();
  return line;
}

// The names that an installation of what the spec asks for can make in a root.
std::vector<std::string> names_to_come(const Spec& spec) {
  std::vector<std::string> names;
  const auto* partial = std::get_if<Spec::Partial>(&spec.value());
  if (std::holds_alternative<Spec::Name>(spec.value())) return {spec.text()};
  if (partial && partial->version.parts().size() > 1) names.push_back(partial->version.text());
  const auto known = catalog::versions("cuda");
  for (auto version = known.rbegin(); version != known.rend(); ++version) {
    if (!spec.accepts(*version)) continue;
    names.push_back(version->first(2).text());
    names.push_back(version->text());
  }
  return names;
}

bool is_absent(const fs::path& path) {
  try {
    return !sys::stat_target(path);
  } catch (const Error&) {
    return false;  // not for this user to look at
  }
}

// The paths at which an installation would make appear what the project asks for and does not get:
// a folder or a minor link of a root, or the licence of a library that joins a toolkit. A prompt
// asks for each, so there are not many.
std::vector<std::string> awaited(const catalog::Project& project, const Host& host) {
  constexpr std::size_t most = 40;
  std::vector<std::string> paths;
  const auto add = [&](const fs::path& path) {
    const std::string text = path.string();
    const bool known = std::find(paths.begin(), paths.end(), text) != paths.end();
    if (paths.size() < most && !known && is_absent(path)) paths.push_back(text);
  };
  Toolkits toolkits(host);
  for (const auto& library : project.libraries) {
    const auto* row = catalog::add_on(library.name);
    for (const auto& prefix : toolkits.inventory().prefixes) {
      if (row && project.cuda.accepts(prefix.receipt.cuda)) {
        add(prefix.path / "share/licenses" / row->component);
      }
    }
  }
  for (const auto& name : names_to_come(project.cuda)) {
    for (const auto& root : reading_roots(host)) add(root.root() / store::prefix_folder(name));
  }
  return paths;
}

// A prompt goes on whatever is wrong with a file or a root, so errors end here, as lines.
void resolve(Wanted& wanted, WatchedFile& file, const Host& host) {
  try {
    const std::string shown = text::visible(file.path, 400);
    file.text = sys::read_file(file.path, longest_project);
    wanted.project = activate::fingerprint(file.path + '\0' + *file.text);
    wanted.file = ProjectFile{file.path, catalog::parse_project(*file.text, file.path)};
    for (const auto& line : wanted.file->project.odd) {
      wanted.problems.push_back(fmt::format("{} {}", shown, line));
    }
    wanted.prefix = Toolkits(host).of(*wanted.file).prefix.path;
  } catch (const Error& error) {
    wanted.problems.push_back(in_one_line(error));
    wanted.missing = wanted.file && error.kind() == ErrorKind::missing;
  }
}

bool is_on_path(const activate::Variables& environment, const fs::path& prefix) {
  const auto path = environment.find("PATH");
  if (path == environment.end()) return false;
  const auto folders = text::split(path->second, ':');
  return std::find(folders.begin(), folders.end(), (prefix / "bin").string()) != folders.end();
}

class Hook {
 public:
  Hook(const HookState& before, const Host& host)
      : before_(before), host_(host), environment_(host.environment.variables()) {}

  HookResult run() {
    active_ = activate::active(environment_);
    look();
    result_.state.said = before_.said;
    const bool manual = active_ && !active_->chosen_by.starts_with('/');
    if (manual) {
      result_.state.seen = HookState::Seen::manual;
    } else {
      decide();
    }
    return std::move(result_);
  }

 private:
  // Finds the project and what to watch.
  void look() {
    const bool physical = !host_.directory.empty() && sys::is_directory(host_.directory) &&
                          sys::canonical(host_.directory) == host_.directory;
    auto& watch = result_.watch;
    for (const auto& path : project_places(host_)) {
      if (!is_project_file(path)) {
        watch.no_file.push_back(as_seen(path, host_, physical));
        continue;
      }
      watch.file = watched(path);
      resolve(wanted_, *watch.file, host_);
      watch.file->path = as_seen(path, host_, physical);
      break;
    }
    if (wanted_.prefix) watch.present.push_back(wanted_.prefix->string());
    if (wanted_.missing) watch.absent = awaited(wanted_.file->project, host_);
  }

  void decide() {
    // What the hook had switched on and somebody switched off stays off in that project.
    const bool left_by_hand = before_.seen == HookState::Seen::project && !active_;
    if (left_by_hand && before_.applied == wanted_.project) {
      result_.state.off = wanted_.project;
    } else if (before_.off == wanted_.project) {
      result_.state.off = before_.off;
    }
    const bool off = !wanted_.project.empty() && result_.state.off == wanted_.project;
    if (wanted_.prefix && !off) {
      enter();
    } else if (active_) {
      result_.change = activate::leave(environment_);
      result_.switched.push_back(
          fmt::format("{} is not active any more", fs::path(active_->prefix).filename().string()));
    }
    if (!off) say_problems();
  }

  void enter() {
    result_.state.seen = HookState::Seen::project;
    result_.state.applied = wanted_.project;
    const std::string prefix = wanted_.prefix->string();
    const bool same = active_ && active_->prefix == prefix;
    // What the user did to PATH since stays as it is.
    if (same && before_.applied == wanted_.project && is_on_path(environment_, prefix)) return;
    auto options = what_to_set({}, &wanted_.file->project, host_);
    options.chosen_by = wanted_.file->place();
    result_.change = activate::change(environment_, {prefix, {}}, options);
    if (same) return;
    result_.switched.push_back(fmt::format("{} is active, as {} says",
                                           wanted_.prefix->filename().string(),
                                           text::visible(wanted_.file->place(), 400)));
  }

  void say_problems() {
    for (auto& line : wanted_.problems) {
      if (activate::is_news(result_.state, line)) result_.problems.push_back(std::move(line));
    }
  }

  const HookState& before_;
  const Host& host_;
  const activate::Variables& environment_;
  std::optional<activate::Active> active_;
  Wanted wanted_;
  HookResult result_;
};

}  // namespace

HookResult hook(const HookState& state, const Host& host) { return Hook(state, host).run(); }

HookResult hook_without_configuration(const HookState& state, const Error& why) {
  HookResult result;
  result.state = state;
  auto line = in_one_line(why);
  if (activate::is_news(result.state, line)) result.problems.push_back(std::move(line));
  return result;
}

}  // namespace cudaenv::commands
