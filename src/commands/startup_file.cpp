#include "commands/startup_file.hpp"

#include <optional>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"

namespace cudaenv::commands {

namespace fs = std::filesystem;

namespace {

// A line of the block begins with one of these. What is behind them says what else came with it.
constexpr std::string_view begin_mark = "# >>> cudaenv >>>";
constexpr std::string_view end_mark = "# <<< cudaenv <<<";
constexpr std::string_view ended_line = " (and the end of the line above)";
constexpr std::string_view created_file = " (and this file)";

struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;  // behind its last newline
  bool created = false;
};

// The offset of the first line from `from` on that begins with `mark`.
std::size_t find_line(std::string_view text, std::string_view mark, std::size_t from) {
  for (auto at = text.find(mark, from); at != std::string_view::npos;
       at = text.find(mark, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return at;
  }
  return std::string_view::npos;
}

std::optional<Block> find_block(std::string_view text, std::string_view file) {
  Block block;
  block.begin = find_line(text, begin_mark, 0);
  if (block.begin == std::string_view::npos) return std::nullopt;
  const auto last = find_line(text, end_mark, block.begin);
  if (last == std::string_view::npos) {
    throw Error(ErrorKind::corrupt, fmt::format("cannot change `{}`", text::visible(file)))
        .because(fmt::format("the line `{}` has no `{}` after it", begin_mark, end_mark))
        .help("take cudaenv's lines out by hand");
  }
  const auto newline = text.find('\n', last);
  block.end = newline == std::string_view::npos ? text.size() : newline + 1;
  const auto first_line = text.substr(block.begin, text.find('\n', block.begin) - block.begin);
  block.created = first_line.find(created_file) != std::string_view::npos;
  if (first_line.find(ended_line) != std::string_view::npos && block.begin > 0 &&
      text[block.begin - 1] == '\n') {
    --block.begin;
    // What was written behind the block since needs the newline.
    if (block.end < text.size()) ++block.begin;
  }
  return block;
}

std::string block_with(std::string_view line, std::string_view also) {
  return fmt::format("{}{}\n{}\n{}\n", begin_mark, also, line, end_mark);
}

// Where the file really lies, through links that may lead to nothing yet.
fs::path real_file(const fs::path& file) {
  fs::path place = file;
  for (int hops = 0; hops < 40; ++hops) {
    const auto stat = sys::stat_link(place);
    if (!stat || stat->kind != sys::Kind::symlink) return place;
    place = place.parent_path() / sys::read_symlink(place);
  }
  throw Error(ErrorKind::system, fmt::format("`{}` leads in circles", file.string()));
}

struct Startup {
  fs::path file;  // as the user calls it
  fs::path place;
  std::optional<std::string> text;
  unsigned mode = 0644;
};

Startup read_startup(activate::Shell shell, const Host& host) {
  Startup startup;
  startup.file = startup_file(shell, host);
  startup.place = real_file(startup.file);
  const auto stat = sys::stat_link(startup.place);
  if (!stat) return startup;
  const auto refuse = [&](const std::string& why, const std::string& advice) {
    throw Error(ErrorKind::system, fmt::format("cannot change `{}`", startup.file.string()))
        .because(why)
        .help(advice);
  };
  if (stat->kind != sys::Kind::regular) {
    refuse("it is not a file", "add the output of `cudaenv init` by hand");
  }
  // The file that takes its place would be ours.
  if (stat->owner != sys::user_id()) {
    refuse("it belongs to another user", "run the command as that user, without sudo");
  }
  startup.text = sys::read_file(startup.place);
  startup.mode = stat->mode;
  return startup;
}

}  // namespace

fs::path startup_file(activate::Shell shell, const Host& host) {
  using activate::Shell;
  const auto& environment = host.environment;
  const fs::path home = environment.home();
  switch (shell) {
    case Shell::bash:
      return home / ".bashrc";
    case Shell::zsh:
      return fs::path(environment.non_empty("ZDOTDIR").value_or(home.string())) / ".zshrc";
    case Shell::fish:
      return environment.xdg("XDG_CONFIG_HOME", ".config") / "fish" / "config.fish";
    case Shell::csh:
      // tcsh reads ~/.cshrc only where there is no ~/.tcshrc.
      return sys::exists(home / ".tcshrc") || !sys::exists(home / ".cshrc") ? home / ".tcshrc"
                                                                            : home / ".cshrc";
    case Shell::elvish:
      return environment.xdg("XDG_CONFIG_HOME", ".config") / "elvish" / "rc.elv";
    case Shell::powershell:
      return environment.xdg("XDG_CONFIG_HOME", ".config") / "powershell" /
             "Microsoft.PowerShell_profile.ps1";
    default:
      break;
  }
  throw Error(ErrorKind::usage, "the start-up file of this shell cannot run the hook")
      .help("see `man cudaenv`, init");
}

StartupResult add_to_startup(activate::Shell shell, std::string_view line, const Host& host) {
  const Startup startup = read_startup(shell, host);
  const std::string before = startup.text.value_or("");
  const std::string after = with_block(before, line, !startup.text);
  if (startup.text && after == before) return {startup.file, false};
  sys::create_directories(startup.place.parent_path());
  sys::write_atomically(startup.place, after, startup.mode);
  return {startup.file, true};
}

StartupResult remove_from_startup(activate::Shell shell, const Host& host) {
  const Startup startup = read_startup(shell, host);
  if (!startup.text) return {startup.file, false};
  const auto [text, created] = without_block(*startup.text, startup.file.string());
  if (text == *startup.text) return {startup.file, false};
  if (created && text.empty()) {
    sys::remove_file(startup.place);
  } else {
    sys::write_atomically(startup.place, text, startup.mode);
  }
  return {startup.file, true};
}

std::string with_block(std::string_view text, std::string_view line, bool created) {
  std::string result(text);
  if (const auto block = find_block(text, "the file")) {
    const auto first = find_line(text, begin_mark, 0);
    const auto old = text.substr(first, text.find('\n', first) - first);
    result.replace(first, block->end - first, block_with(line, old.substr(begin_mark.size())));
    return result;
  }
  const bool ended = text.empty() || text.back() == '\n';
  if (!ended) result += '\n';
  return result + block_with(line, !ended ? ended_line : created ? created_file : "");
}

WithoutBlock without_block(std::string_view text, std::string_view file) {
  WithoutBlock result{std::string(text), false};
  while (const auto block = find_block(result.text, file)) {
    result.text.erase(block->begin, block->end - block->begin);
    result.created = result.created || block->created;
  }
  return result;
}

}  // namespace cudaenv::commands
