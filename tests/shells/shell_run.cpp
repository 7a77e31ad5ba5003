#include "shells/shell_run.hpp"

#include <iostream>

#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "support/activation_walk.hpp"
#include "sys/process.hpp"

namespace cudaenv::test {
namespace {

using activate::Variables;

constexpr const char* system_path = "/usr/local/bin:/usr/bin:/bin";

// Names that words of code would match, were they taken for patterns, and names that would be
// options or code themselves.
void make_odd_files(const TempDir& folder) {
  for (const char* name : {"a",
                           "ab",
                           "x y",
                           "-n",
                           "--",
                           "*",
                           "?",
                           "[a-z]*",
                           "'",
                           "\"",
                           "`",
                           "$HOME",
                           "export",
                           "then",
                           "CUDA_HOME=1",
                           "PATH=x",
                           "'x",
                           "$'052'",
                           "CUDA_HOME=$'052'",
                           "CUDA_HOME=$'a';",
                           "line\nend",
                           "\\",
                           "\\052",
                           "\xFF",
                           "env",
                           "cat",
                           "if",
                           ";",
                           "fi",
                           "{}",
                           "=ls",
                           "!!",
                           "#",
                           "~",
                           "(x)"}) {
    folder.make_file(name);
  }
}

std::string script_for(const Evaluation& evaluation, const TempDir& files, std::size_t codes) {
  std::string script = evaluation.before + "\n";
  for (std::size_t i = 0; i < codes; ++i) {
    script += fmt::format(fmt::runtime(evaluation.take), (files / fmt::format("{}", i)).string());
    script += fmt::format("\n/usr/bin/env -0 > {}\n", (files / fmt::format("out{}", i)).string());
  }
  return script;
}

Variables parsed(std::string_view dump) {
  Variables result;
  for (const auto line : text::split(dump, '\0')) {
    const auto at = line.find('=');
    if (at == std::string_view::npos || !is_walked(line.substr(0, at))) continue;
    result.emplace(line.substr(0, at), line.substr(at + 1));
  }
  return result;
}

}  // namespace

bool is_installed(std::string_view program) {
  return sys::find_program(program, system_path).has_value();
}

void skip_without(std::string_view program) {
  std::cout << "SKIP: " << program << " is not installed\n";
}

ShellRun run(const Evaluation& evaluation, const Variables& environment,
             const std::vector<std::string>& codes) {
  const TempDir files;
  const TempDir odd;
  make_odd_files(odd);
  const auto entries = odd.entries();
  for (std::size_t i = 0; i < codes.size(); ++i) files.make_file(std::to_string(i), codes[i]);

  sys::Command command;
  command.arguments = evaluation.program;
  command.arguments.front() = sys::find_program(command.arguments.front(), system_path)->string();
  command.arguments.push_back(
      files.make_file("script", script_for(evaluation, files, codes.size())).string());
  command.environment = environment;
  for (const char* name : {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"}) {
    (*command.environment)[name] = files.make_dir("home").string();
  }
  (*command.environment)["LC_ALL"] = "C.UTF-8";
  command.directory = odd.path();
  const auto outcome = sys::run(command, NoInterrupt());

  ShellRun result{outcome.status, outcome.out + outcome.err, {}, ""};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto name = fmt::format("out{}", i);
    if (!files.entries().contains(name)) break;
    result.environments.push_back(parsed(files.read(name)));
  }
  for (const auto& name : odd.entries()) {
    if (!entries.contains(name)) result.ran += text::visible(name) + " ";
  }
  return result;
}

}  // namespace cudaenv::test
