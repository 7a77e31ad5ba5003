#include "activate/render.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "activate/quote.hpp"
#include "activate/unfit.hpp"
#include "base/text.hpp"

namespace cudaenv::activate {
namespace {

// How a shell spells a change.
struct Syntax {
  std::string (*set)(const std::string& name, const std::string& value);
  const char* unset;  // with {} for the name
  const char* whole;  // with {} for the statements
  // What cannot hold any bytes, but only UTF-8; empty for a shell that can.
  std::string_view text_only;
};

// fish and csh have no `fi` and so refuse the whole, and show the line, which tells why. Were the
// statements bare, fish would carry out those that it knows.
constexpr const char* posix_whole =
    "if test -n \"for sh, bash and zsh; other shells: add --shell NAME\"; then {}; fi\n";

std::string set_in_bash(const std::string& name, const std::string& value) {
  return fmt::format("export {}={}", name, quoted_for_bash(value));
}

std::string set_in_sh(const std::string& name, const std::string& value) {
  return fmt::format("{}; export {}", assigned_for_sh(name, value), name);
}

std::string set_in_fish(const std::string& name, const std::string& value) {
  std::string words;
  // fish before 3.0 takes a PATH with colons for one folder.
  const std::vector<std::string_view> whole{value};
  for (const auto part : name == "PATH" ? text::split(value, ':') : whole) {
    words += " " + quoted_for_fish(part);
  }
  // Spelt out: in other shells `set -e` would be something else.
  return fmt::format("set --global --export {}{}", name, words);
}

std::string set_in_csh(const std::string& name, const std::string& value) {
  return fmt::format("setenv {} {}", name, quoted_for_csh(value));
}

std::string set_in_elvish(const std::string& name, const std::string& value) {
  return fmt::format("set-env {} {}", name, quoted_for_elvish(value));
}

std::string set_in_nushell(const std::string& name, const std::string& value) {
  if (name != "PATH") return fmt::format("$env.{} = {}", name, quoted_for_nushell(value));
  std::vector<std::string> folders;
  for (const auto part : text::split(value, ':')) folders.push_back(quoted_for_nushell(part));
  return fmt::format("$env.{} = [{}]", name, text::join(folders, " "));
}

std::string set_in_powershell(const std::string& name, const std::string& value) {
  return fmt::format("$env:{} = {}", name, quoted_for_powershell(value));
}

const Syntax& syntax_of(Shell shell) {
  static constexpr Syntax bash{set_in_bash, "unset -v {}", posix_whole, ""};
  static constexpr Syntax sh{set_in_sh, "unset -v {}", posix_whole, ""};
  static constexpr Syntax fish{set_in_fish, "set --erase {}", "{}\n", ""};
  static constexpr Syntax csh{set_in_csh, "unsetenv {}", "{}\n", ""};
  static constexpr Syntax elvish{set_in_elvish, "unset-env {}", "{}\n", ""};
  static constexpr Syntax nushell{set_in_nushell, "hide-env --ignore-errors {}", "{}\n", "nushell"};
  static constexpr Syntax powershell{set_in_powershell, "$env:{} = $null", "{}\n", "PowerShell"};
  switch (shell) {
    case Shell::bash:
    case Shell::zsh:
      return bash;
    case Shell::sh:
      return sh;
    case Shell::fish:
      return fish;
    case Shell::csh:
      return csh;
    case Shell::nushell:
      return nushell;
    case Shell::powershell:
      return powershell;
    case Shell::elvish:
      break;
  }
  return elvish;
}

}  // namespace

std::optional<Shell> shell_named(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Shell>, 18> names{{
      {"bash", Shell::bash},
      {"zsh", Shell::zsh},
      {"ksh", Shell::bash},
      {"ksh93", Shell::bash},
      {"mksh", Shell::bash},
      {"sh", Shell::sh},
      {"dash", Shell::sh},
      {"ash", Shell::sh},
      {"busybox", Shell::sh},
      {"fish", Shell::fish},
      {"csh", Shell::csh},
      {"tcsh", Shell::csh},
      {"nu", Shell::nushell},
      {"nushell", Shell::nushell},
      {"pwsh", Shell::powershell},
      {"powershell", Shell::powershell},
      {"elvish", Shell::elvish},
      {"posix", Shell::sh},
  }};
  for (const auto& [known, shell] : names) {
    if (known == name) return shell;
  }
  return std::nullopt;
}

std::string render(const Change& change, Shell shell) {
  if (change.empty()) return "";
  const Syntax& syntax = syntax_of(shell);
  std::vector<std::string> statements;
  for (const auto& [name, value] : change.variables) {
    if (!value) {
      statements.push_back(fmt::format(fmt::runtime(syntax.unset), name));
      continue;
    }
    if (!syntax.text_only.empty()) check_text(syntax.text_only, name, *value);
    statements.push_back(syntax.set(name, *value));
  }
  return fmt::format(fmt::runtime(syntax.whole), text::join(statements, "; "));
}

std::string refusal(Shell shell) {
  switch (shell) {
    case Shell::elvish:
      return "fail 'cudaenv has changed nothing'\n";
    case Shell::nushell:
      return "error make {msg: 'cudaenv has changed nothing'}\n";
    case Shell::powershell:
      return "throw 'cudaenv has changed nothing'\n";
    default:
      return "false\n";
  }
}

}  // namespace cudaenv::activate
