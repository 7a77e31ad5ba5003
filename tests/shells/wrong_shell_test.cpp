#include <doctest/doctest.h>

#include "activate/render.hpp"
#include "shells/shell_run.hpp"

using namespace cudaenv;
using namespace cudaenv::test;
using activate::Shell;

namespace {

// Code for another shell changes nothing, and something is said.
void refuse(const Evaluation& evaluation) {
  const std::string& program = evaluation.program.front();
  if (!is_installed(program)) return skip_without(program);
  const activate::Variables before{
      {"CUDACXX", "mine"}, {"LD_LIBRARY_PATH", "/x"}, {"PATH", "/usr/bin:/bin"}};
  auto change = activate::change(before, {"/r/c 1"});
  change.variables["CUDACXX"] = std::nullopt;
  const auto result = run(evaluation, before, {render(change, evaluation.shell)});
  INFO(evaluation.take);
  CHECK(result.said != "");
  for (const auto& here : result.environments) CHECK(here == before);
}

}  // namespace

TEST_CASE("bash: code for another shell is refused") {
  for (const Shell shell : {Shell::fish, Shell::csh, Shell::elvish}) {
    refuse({{"bash", "--norc"}, "", "eval \"$(/bin/cat {})\"", shell});
  }
}

TEST_CASE("fish: code for another shell is refused, and the message says what to do") {
  for (const char* take : {"eval (/bin/cat {})", "/bin/cat {} | source"}) {
    for (const Shell shell : {Shell::bash, Shell::sh, Shell::csh}) {
      refuse({{"fish", "--no-config"}, "", take, shell});
    }
  }
  if (!is_installed("fish")) return;
  const auto code = render(activate::change({}, {"/p"}), Shell::bash);
  const auto result =
      run({{"fish", "--no-config"}, "", "eval (/bin/cat {})", Shell::bash}, {}, {code});
  CHECK(result.said.find("other shells: add --shell NAME") != std::string::npos);
}

TEST_CASE("tcsh: code for another shell is refused") {
  for (const char* take : {"eval \"`/bin/cat {}`\"", "eval `/bin/cat {}`"}) {
    for (const Shell shell : {Shell::bash, Shell::sh, Shell::fish}) {
      refuse({{"tcsh", "-f"}, "", take, shell});
    }
  }
}
