#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commands/host.hpp"
#include "commands/use.hpp"

namespace cudaenv::commands {

// `which`: the file of a tool in a prefix's bin/ (or its nvvm/bin, compute-sanitizer, ...).
// Throws Error(missing) with the component that brings it, or a suggestion.
std::filesystem::path which(const std::string& tool, const std::string& spec, const Host& host);

// `which --all`: of every installed toolkit that has it, the newest first. Throws Error(missing)
// where none has.
std::vector<std::filesystem::path> which_all(const std::string& tool, const Host& host);

// `prefix`: where a toolkit is installed.
std::filesystem::path prefix(const std::string& spec, const Host& host);

struct ExecRequest {
  UseRequest toolkit;  // without a spec: what holds here
  std::vector<std::string> command;
};

// `exec`: becomes the command, with the toolkit's environment.
[[noreturn]] void exec(const ExecRequest& request, const Host& host);

}  // namespace cudaenv::commands
