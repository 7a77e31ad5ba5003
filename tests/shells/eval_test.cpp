#include <doctest/doctest.h>

#include "activate/render.hpp"
#include "base/text.hpp"
#include "shells/shell_run.hpp"
#include "support/activation_walk.hpp"

using namespace cudaenv;
using namespace cudaenv::test;
using activate::Shell;
using activate::Variables;

namespace {

constexpr unsigned walks = 4;
constexpr unsigned steps = 40;

std::string shown(const Variables& variables, const Variables& others) {
  std::string result;
  for (const auto& [name, value] : variables) {
    const auto found = others.find(name);
    if (found != others.end() && found->second == value) continue;
    result += "\n  " + name + "=" + text::visible(value, 1000);
  }
  return result;
}

void walk_through(const Evaluation& evaluation, unsigned seed, ActivationWalk::Limits limits) {
  ActivationWalk walk(seed, limits);
  const Variables first = walk.environment();
  std::vector<Variables> expected;
  std::vector<std::string> codes;
  for (unsigned i = 0; i < steps; ++i) {
    codes.push_back(render(walk.step(), evaluation.shell));
    expected.push_back(walk.environment());
  }
  const auto result = run(evaluation, first, codes);
  INFO("walk ", seed, " by ", evaluation.before, " ", evaluation.take);
  CHECK(result.ran == "");
  for (std::size_t i = 0; i < result.environments.size(); ++i) {
    const auto& here = result.environments[i];
    if (here == expected[i]) continue;
    FAIL("step ", i, ": expected", shown(expected[i], here), "\nhere", shown(here, expected[i]),
         "\nby ", codes[i], text::visible(result.said, 2000));
  }
  CHECK(text::visible(result.said) == "");
  CHECK(result.status == 0);
  CHECK(result.environments.size() == steps);
}

void walk_in(const std::vector<Evaluation>& evaluations, ActivationWalk::Limits limits = {}) {
  const std::string& program = evaluations.front().program.front();
  if (!is_installed(program)) return skip_without(program);
  unsigned seed = 0;
  for (const auto& evaluation : evaluations) {
    for (unsigned i = 0; i < walks; ++i) walk_through(evaluation, seed++, limits);
  }
}

const std::string quoted = "eval \"$(/bin/cat {})\"";
const std::string unquoted = "eval $(/bin/cat {})";

}  // namespace

TEST_CASE("bash: code does the same with quotes and without, in any folder, and strict (F23)") {
  const std::vector<std::string> bash{"bash", "--norc", "-euo", "pipefail"};
  walk_in({{bash, "", quoted, Shell::bash},
           {bash, "", unquoted, Shell::bash},
           {bash, "set -o posix", unquoted, Shell::sh},
           {bash, "shopt -s extglob failglob", unquoted, Shell::bash},
           {bash, "shopt -s nullglob dotglob; set -o noclobber", unquoted, Shell::bash}});
}

TEST_CASE("zsh: code does the same with quotes and without, in any folder, and strict (F23)") {
  const std::vector<std::string> zsh{"zsh", "-f", "-eu", "-o", "pipefail"};
  walk_in({{zsh, "", quoted, Shell::zsh},
           {zsh, "", unquoted, Shell::zsh},
           {zsh, "setopt extended_glob glob_subst magic_equal_subst", unquoted, Shell::zsh},
           {zsh, "emulate sh; setopt err_exit no_unset", unquoted, Shell::sh}},
          {.starts_with_path = true});
}

TEST_CASE("dash: code does the same with quotes and without, in any folder, and strict (F23)") {
  walk_in({{{"dash", "-eu"}, "", quoted, Shell::sh}, {{"dash", "-eu"}, "", unquoted, Shell::sh}});
}

TEST_CASE("busybox: code does the same with quotes and without, in any folder, and strict (F23)") {
  const std::vector<std::string> busybox{"busybox", "sh", "-eu"};
  walk_in({{busybox, "", quoted, Shell::sh}, {busybox, "", unquoted, Shell::sh}});
}

TEST_CASE("ksh: code does the same with quotes and without, in any folder, and strict (F23)") {
  walk_in({{{"ksh", "-eu"}, "", quoted, Shell::bash}, {{"ksh", "-eu"}, "", unquoted, Shell::bash}});
}

TEST_CASE("mksh: code does the same with quotes and without, in any folder, and strict (F23)") {
  walk_in(
      {{{"mksh", "-eu"}, "", quoted, Shell::bash}, {{"mksh", "-eu"}, "", unquoted, Shell::bash}});
}

TEST_CASE("fish: code does the same however it is taken over (F56)") {
  const std::vector<std::string> fish{"fish", "--no-config"};
  walk_in({{fish, "", "eval (/bin/cat {})", Shell::fish},
           {fish, "", "eval \"$(/bin/cat {})\"", Shell::fish},
           {fish, "", "/bin/cat {} | source", Shell::fish}},
          {.empty_elements = false, .starts_with_path = true});
}

TEST_CASE("tcsh: code does the same with quotes and without (F59)") {
  walk_in({{{"tcsh", "-f"}, "", "eval \"`/bin/cat {}`\"", Shell::csh},
           {{"tcsh", "-f"}, "", "eval `/bin/cat {}`", Shell::csh},
           {{"tcsh", "-f"}, "set noglob", "eval `/bin/cat {}`", Shell::csh}},
          {.starts_with_path = true});
}

TEST_CASE("elvish: code does what it should") {
  walk_in({{{"elvish", "-norc"}, "", "eval (/bin/cat {} | slurp)", Shell::elvish}});
}
