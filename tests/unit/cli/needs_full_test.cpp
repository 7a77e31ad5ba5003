#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text.hpp"
#include "cli/run.hpp"

using namespace cudaenv;
using Words = std::vector<std::string>;

namespace {

Words words(std::string_view line) {
  Words result;
  for (const auto word : text::split(line, ' ')) {
    if (!word.empty()) result.emplace_back(word);
  }
  return result;
}

}  // namespace

TEST_CASE("what answers in an instant stays with the front program") {
  for (const char* line : {"list",
                           "list --json",
                           "list -s",
                           "list --size --json -q",
                           "which nvcc",
                           "which nvcc 12.1",
                           "prefix",
                           "prefix 12.1",
                           "default",
                           "default 12.1 --force",
                           "env",
                           "env --json",
                           "exec 12.1 -- make",
                           "exec -- make",
                           "use 12.1",
                           "use",
                           "deactivate",
                           "current --why",
                           "local",
                           "local 12.1",
                           "--version",
                           "-V",
                           "-q list",
                           "--no-progress --quiet prefix 12"}) {
    CAPTURE(line);
    CHECK_FALSE(cli::needs_full(words(line)));
  }
}

TEST_CASE("what needs network or archives, or is not known here, goes to the full program") {
  for (const char* line : {"", "-q", "install 12.1", "uninstall 12.1", "verify", "gc", "update",
                           "-q install 12.1", "frobnicate", "--frobnicate", "--frobnicate list"}) {
    CAPTURE(line);
    CHECK(cli::needs_full(words(line)));
  }
}

TEST_CASE("help is the full program's, before and after the command") {
  for (const char* line : {"--help", "-h", "list --help", "list -h", "--help list", "exec --help",
                           "exec -h", "-q default --help", "which nvcc --help"}) {
    CAPTURE(line);
    CHECK(cli::needs_full(words(line)));
  }
}

TEST_CASE("options of the command that exec runs are not ours") {
  for (const char* line :
       {"exec 12.1 -- nvcc --help", "exec 12.1 -- nvcc -h", "exec 12.1 nvcc --help",
        "exec --no-ld-path 12.1 -- tool --remote", "-q exec 12.1 -- nvcc --help",
        "exec 12.1 -- --help", "exec 12.1 --help", "exec -- nvcc --help", "exec --no-ld-path -- -h",
        "exec --with cudnn 12.1 -- tool --help", "exec --with cudnn 12.1 tool --help"}) {
    CAPTURE(line);
    CHECK_FALSE(cli::needs_full(words(line)));
  }
}

TEST_CASE("after -- nothing is an option") {
  CHECK_FALSE(cli::needs_full(words("prefix -- --help")));
  CHECK_FALSE(cli::needs_full(words("which -- -h")));
}

TEST_CASE("list goes to the full program as soon as it asks a source, in every spelling") {
  for (const char* line :
       {"list --remote", "list -r", "list -rs", "list -sr", "list --remote cudnn",
        "list --remote --json", "--quiet list -r", "list --source nvidia", "list cudnn",
        "list --mirror=https://mirror.example", "list --offline", "list --trust-mirror"}) {
    CAPTURE(line);
    CHECK(cli::needs_full(words(line)));
  }
}

TEST_CASE("every light command is among all commands, and no name is there twice") {
  std::set<std::string_view> names;
  for (const auto& command : cli::all_commands()) {
    CAPTURE(command.name);
    CHECK(names.insert(command.name).second);
    CHECK_FALSE(command.summary.empty());
    // Nobody types what shells run by themselves.
    CHECK((!command.group.empty() || command.kind == cli::Command::Kind::unasked));
  }
  for (const auto& command : cli::light_commands()) {
    CAPTURE(command.name);
    CHECK(names.count(command.name) == 1);
  }
}
