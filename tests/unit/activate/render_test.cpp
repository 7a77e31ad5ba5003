#include "activate/render.hpp"

#include <doctest/doctest.h>

#include "support/error_text.hpp"

using namespace cudaenv;
using namespace cudaenv::activate;

namespace {

const Change plain{{{"CUDA_HOME", "/r/cuda-12.1.1"}, {"CUDACXX", std::nullopt}}, {}, {}};

Change setting(const std::string& name, const std::string& value) {
  return {{{name, value}}, {}, {}};
}

}  // namespace

TEST_CASE("each shell is told in its own words") {
  CHECK(render(plain, Shell::bash) ==
        "if test -n \"for sh, bash and zsh; other shells: add --shell NAME\"; then "
        "unset -v CUDACXX; export CUDA_HOME=/r/cuda-12.1.1; fi\n");
  CHECK(render(plain, Shell::zsh) == render(plain, Shell::bash));
  CHECK(render(plain, Shell::sh) ==
        "if test -n \"for sh, bash and zsh; other shells: add --shell NAME\"; then "
        "unset -v CUDACXX; CUDA_HOME=/r/cuda-12.1.1; export CUDA_HOME; fi\n");
  CHECK(render(plain, Shell::fish) ==
        "set --erase CUDACXX; set --global --export CUDA_HOME /r/cuda-12.1.1\n");
  CHECK(render(plain, Shell::csh) == "unsetenv CUDACXX; setenv CUDA_HOME /r/cuda-12.1.1\n");
  CHECK(render(plain, Shell::elvish) ==
        "unset-env CUDACXX; set-env CUDA_HOME \"/r/cuda-12.1.1\"\n");
  CHECK(render(plain, Shell::nushell) ==
        "hide-env --ignore-errors CUDACXX; $env.CUDA_HOME = \"/r/cuda-12.1.1\"\n");
  CHECK(render(plain, Shell::powershell) ==
        "$env:CUDACXX = $null; $env:CUDA_HOME = \"/r/cuda-12.1.1\"\n");
}

TEST_CASE("no change is no code") {
  for (const char* name : {"bash", "sh", "fish", "csh", "elvish", "nu", "pwsh"}) {
    CHECK(render({}, *shell_named(name)).empty());
  }
}

TEST_CASE("a list is one where the shell has lists") {
  CHECK(render(setting("PATH", "/a b:/c"), Shell::fish) ==
        "set --global --export PATH /a\\X20b /c\n");
  CHECK(render(setting("PATH", "/a b:/c"), Shell::nushell) == "$env.PATH = [\"/a b\" \"/c\"]\n");
  CHECK(render(setting("MANPATH", "/a:/c"), Shell::fish) ==
        "set --global --export MANPATH /a:/c\n");
}

TEST_CASE("nushell's and PowerShell's quotes hold what would end them or run") {
  CHECK(render(setting("X", "a\"b\\c$d\n"), Shell::nushell) ==
        "$env.X = \"a\\\"b\\\\c$d\\u{a}\"\n");
  CHECK(render(setting("X", "a\"b`c$(d)'\n"), Shell::powershell) ==
        "$env:X = \"a`\"b``c`$(d)'$([char]10)\"\n");
  CHECK(render(setting("X", "\u201C\u201D\u201E\u2019"), Shell::powershell) ==
        "$env:X = \"`\u201C`\u201D`\u201E\u2019\"\n");
}

TEST_CASE("a value that a shell of text cannot hold is refused") {
  for (const Shell shell : {Shell::nushell, Shell::powershell}) {
    const auto text = test::error_text([&] { render(setting("X", "/a\xFF"), shell); });
    CHECK(text.find("cannot hold the value of X") != std::string::npos);
    CHECK(text.find("`/a\\xFF` is not UTF-8") != std::string::npos);
  }
  CHECK_NOTHROW(render(setting("X", "/a\xFF"), Shell::bash));
}

TEST_CASE("a failure is code that fails, in each shell, and changes nothing") {
  for (const Shell shell : {Shell::bash, Shell::zsh, Shell::sh, Shell::fish, Shell::csh}) {
    CHECK(refusal(shell) == "false\n");
  }
  CHECK(refusal(Shell::elvish) == "fail 'cudaenv has changed nothing'\n");
  CHECK(refusal(Shell::nushell) == "error make {msg: 'cudaenv has changed nothing'}\n");
  CHECK(refusal(Shell::powershell) == "throw 'cudaenv has changed nothing'\n");
}

TEST_CASE("shells are known by what people call them") {
  CHECK(shell_named("tcsh") == Shell::csh);
  CHECK(shell_named("dash") == Shell::sh);
  CHECK(shell_named("pwsh") == Shell::powershell);
  CHECK(shell_named("zsh") == Shell::zsh);
  CHECK_FALSE(shell_named("cmd"));
  CHECK_FALSE(shell_named(""));
}
