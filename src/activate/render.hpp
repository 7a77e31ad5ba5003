#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "activate/change.hpp"

namespace cudaenv::activate {

enum class Shell { bash, zsh, sh, fish, csh, nushell, powershell, elvish };

// By what people call it or its program is named: `tcsh`, `dash`, `pwsh`, ... Nothing for others.
std::optional<Shell> shell_named(std::string_view name);

// Code that makes the change in a running shell, as one line; empty where nothing changes. For the
// shells of `eval $(...)` it does the same without quotes as with them. Code for sh, bash or zsh is
// a syntax error in fish and csh, before anything has changed.
// Throws Error(usage) for a value that the shell cannot hold.
std::string render(const Change& change, Shell shell);

// Code that fails and does nothing else. To evaluate nothing at all would succeed.
std::string refusal(Shell shell);

}  // namespace cudaenv::activate
