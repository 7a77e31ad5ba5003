#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "activate/change.hpp"
#include "activate/render.hpp"
#include "support/temp_dir.hpp"

namespace cudaenv::test {

// A shell as its users have it, and a way in which they take over code.
struct Evaluation {
  std::vector<std::string> program;  // with its options; a script follows
  std::string before;                // the script's first line
  std::string take;                  // with {} for the file of the code
  activate::Shell shell;
};

bool is_installed(std::string_view program);

// Says on stdout that the test is skipped, for ctest.
void skip_without(std::string_view program);

// One process of the shell, begun with `environment` in a folder of odd files, takes over the code
// of one change after the other. The result is what a child of it is given after each, as far as a
// walk goes through it.
struct ShellRun {
  int status = 0;
  std::string said;  // on both streams
  std::vector<activate::Variables> environments;
  std::string ran;  // what the folder has that it had not before, or has no more
};
ShellRun run(const Evaluation& evaluation, const activate::Variables& environment,
             const std::vector<std::string>& codes);

}  // namespace cudaenv::test
