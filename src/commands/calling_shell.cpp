#include "commands/calling_shell.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "sys/process.hpp"

namespace cudaenv::commands {
namespace {

constexpr std::array<std::string_view, 16> starters{
    "sudo",    "doas",   "su",     "runuser", "env",     "nice",         "nohup",  "setsid",
    "timeout", "strace", "script", "stdbuf",  "cudaenv", "cudaenv-full", "ltrace", "chroot"};

// A program's file may be called "bash-static" or "zsh-5.9", that of a login shell "-bash".
std::optional<activate::Shell> shell_in(std::string_view program) {
  if (program.starts_with('-')) program.remove_prefix(1);
  if (const auto shell = activate::shell_named(program)) return shell;
  return activate::shell_named(program.substr(0, program.find_first_of("-.")));
}

bool is_starter(const sys::RunningProgram& program) {
  return std::any_of(starters.begin(), starters.end(), [&](std::string_view name) {
    return program.file == name || program.name == name;
  });
}

std::optional<activate::Shell> shell_above(std::string& first) {
  for (const auto& program : sys::programs_above()) {
    if (first.empty()) first = program.file.empty() ? program.name : program.file;
    for (const auto& name : {program.file, program.name}) {
      if (const auto shell = shell_in(name)) return shell;
    }
    if (!is_starter(program)) break;
  }
  return std::nullopt;
}

std::optional<activate::Shell> login_shell(const Host& host) {
  const auto login = host.environment.non_empty("SHELL");
  if (!login) return std::nullopt;
  return shell_in(std::filesystem::path(*login).filename().string());
}

}  // namespace

activate::Shell calling_shell(const std::string& named, const Host& host) {
  const std::string choices = "bash, zsh, sh, fish, tcsh, nushell, powershell, elvish";
  if (!named.empty()) {
    if (const auto shell = activate::shell_named(named)) return *shell;
    throw with_suggestion(Error(ErrorKind::usage, fmt::format("`{}` is not a shell that is known",
                                                              text::visible(named, 60))),
                          named, {"bash", "zsh", "fish", "tcsh", "nushell", "powershell"},
                          fmt::format("known are: {}", choices));
  }
  std::string above;
  if (const auto shell = shell_above(above)) return *shell;
  if (const auto shell = login_shell(host)) return *shell;
  const auto login = host.environment.non_empty("SHELL");
  throw Error(ErrorKind::usage, "cannot tell which shell this is for")
      .because(fmt::format("`{}` started cudaenv, and SHELL {}", text::visible(above, 60),
                           login ? fmt::format("is `{}`", text::visible(*login)) : "is not set"))
      .help(fmt::format("add `--shell NAME`: {}", choices));
}

activate::Shell guessed_shell(const std::string& named, const Host& host) {
  std::string above;
  auto shell = activate::shell_named(named);
  if (!shell) shell = shell_above(above);
  if (!shell) shell = login_shell(host);
  return shell.value_or(activate::Shell::sh);
}

}  // namespace cudaenv::commands
