#include "cli/shell_code.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "activate/quote.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "embedded/shell.hpp"

namespace cudaenv::cli {
namespace {

using activate::Shell;

struct Files {
  Shell shell;
  std::string_view hook;
  std::string_view completion;  // empty: none
};
constexpr std::array<Files, 7> files{{
    {Shell::bash, "hook.bash", "completion.bash"},
    {Shell::zsh, "hook.zsh", "completion.zsh"},
    {Shell::fish, "hook.fish", "completion.fish"},
    {Shell::csh, "hook.tcsh", ""},
    {Shell::elvish, "hook.elv", ""},
    {Shell::nushell, "hook.nu", ""},
    {Shell::powershell, "hook.ps1", ""},
}};

const Files& files_of(Shell shell) {
  for (const auto& row : files) {
    if (row.shell == shell) return row;
  }
  throw Error(ErrorKind::usage, "this shell runs nothing before a prompt, so it has no hook")
      .help("switch by hand: `eval \"$(cudaenv use 12.1)\"`");
}

// In an interactive csh `#` begins no comment.
std::string without_comments(std::string_view script) {
  std::string result;
  for (const auto line : text::lines(script)) {
    if (!line.starts_with('#')) result.append(line) += '\n';
  }
  return result;
}

// One of the files of shell/, with the program's path where it says @PROGRAM@.
std::string filled(std::string_view name, Shell shell, const std::string& program) {
  constexpr std::string_view place = "@PROGRAM@";
  std::string text(*embedded::shell::find(name));
  if (shell == Shell::csh) text = without_comments(text);
  const std::string word = quoted_for(shell, program);
  for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
    text.replace(at, place.size(), word);
    at += word.size();
  }
  return text;
}

}  // namespace

std::string quoted_for(Shell shell, const std::string& word) {
  switch (shell) {
    case Shell::bash:
    case Shell::zsh:
    case Shell::sh:
      return activate::quoted_for_bash(word);
    case Shell::fish:
      return activate::quoted_for_fish(word);
    case Shell::csh:
      return activate::quoted_for_csh(word);
    case Shell::nushell:
      return activate::quoted_for_nushell(word);
    case Shell::powershell:
      return activate::quoted_for_powershell(word);
    case Shell::elvish:
      break;
  }
  return activate::quoted_for_elvish(word);
}

std::string init_script(Shell shell, const std::string& program) {
  const Files& row = files_of(shell);
  std::string text = filled(row.hook, shell, program);
  if (!row.completion.empty()) text += "\n" + filled(row.completion, shell, program);
  return text;
}

std::string init_line(Shell shell, const std::string& program) {
  const std::string script = init_script(shell, program);
  switch (shell) {
    case Shell::bash:
    case Shell::zsh:
    case Shell::csh:
      return "eval " + quoted_for(shell, script) + "\n";
    default:
      return script;
  }
}

std::string completion_script(Shell shell, const std::string& program) {
  for (const auto& row : files) {
    if (row.shell == shell && !row.completion.empty()) {
      return filled(row.completion, shell, program);
    }
  }
  throw Error(ErrorKind::usage, "there are completions for bash, zsh and fish only")
      .help("name one of them: `cudaenv completions bash`");
}

std::string startup_line(Shell shell, const std::string& program) {
  const std::string word = quoted_for(shell, program);
  switch (shell) {
    case Shell::bash:
    case Shell::zsh:
      return fmt::format("if [ -x {0} ]; then eval \"$({0} init {1})\"; fi", word,
                         shell == Shell::bash ? "bash" : "zsh");
    case Shell::fish:
      return fmt::format("if test -x {0}; {0} init fish | source; end", word);
    case Shell::csh:
      // An alias, because backquotes in quotes would parse the path once more.
      return fmt::format(
          "set __cudaenv_program={}; alias __cudaenv_run '$__cudaenv_program:q'; "
          "if ( -x $__cudaenv_program:q ) eval \"`__cudaenv_run init tcsh`\"",
          word);
    case Shell::elvish:
      return fmt::format("if (has-external {0}) {{ eval ((external {0}) init elvish | slurp) }}",
                         word);
    case Shell::powershell:
      return fmt::format(
          "if (Test-Path -LiteralPath {0}) {{ Invoke-Expression "
          "((& {0} init powershell) -join \"`n\") }}",
          word);
    default:
      break;
  }
  throw Error(ErrorKind::usage, "the start-up file of this shell cannot run the hook")
      .help("write it once: `cudaenv init nushell | save --force cudaenv.nu`, and `source` that");
}

}  // namespace cudaenv::cli
