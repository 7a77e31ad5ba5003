#pragma once

#include <string>
#include <string_view>

// One function a shell: any bytes but NUL as code that the shell reads back as they were. None has
// a newline, a tab or two blanks in a row, and those for shells that expand what comes out of an
// unquoted `$(...)` or `...` have neither a blank nor `*?[`: the code means the same either way.
namespace cudaenv::activate {

// For bash, zsh and ksh: plain, or $'...'.
std::string quoted_for_bash(std::string_view value);

// For any POSIX shell, which has nothing like $'...': statements that assign the value to `name`.
std::string assigned_for_sh(std::string_view name, std::string_view value);

// For fish: plain, or with \X escapes.
std::string quoted_for_fish(std::string_view value);

// For tcsh: plain, or $'...'.
std::string quoted_for_csh(std::string_view value);

// For elvish: double quotes. It has every byte.
std::string quoted_for_elvish(std::string_view value);

// For nushell and PowerShell: quotes. The value must be UTF-8.
std::string quoted_for_nushell(std::string_view value);
std::string quoted_for_powershell(std::string_view value);

}  // namespace cudaenv::activate
