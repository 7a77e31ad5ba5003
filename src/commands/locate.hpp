#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commands/host.hpp"

namespace cudaenv::commands {

// `which`: the file of a tool in a prefix's bin/ (or its nvvm/bin, compute-sanitizer, ...).
// Throws Error(missing) with the component that brings it, or a suggestion.
std::filesystem::path which(const std::string& tool, const std::string& spec, const Host& host);

// `prefix`: where a toolkit is installed.
std::filesystem::path prefix(const std::string& spec, const Host& host);

struct ExecRequest {
  std::string spec;
  std::vector<std::string> command;
  bool ld_path = true;
};

// `exec`: becomes the command, with the toolkit's environment.
[[noreturn]] void exec(const ExecRequest& request, const Host& host);

}  // namespace cudaenv::commands
