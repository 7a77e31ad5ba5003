#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/host.hpp"
#include "compat/explain.hpp"
#include "compat/finding.hpp"

namespace cudaenv::commands {

// What `explain` is asked: one of the three.
struct ExplainRequest {
  std::string text;                  // a number, a name or a text; empty: a log on standard input
  std::vector<std::string> command;  // to be run; empty: none
};

struct Explained {
  compat::Explanation what;
  // What is found on this machine that causes it.
  std::vector<compat::Finding> here;
  bool looked = false;  // whether there was anything to look for, and it was looked for
};

struct ExplainResult {
  std::vector<Explained> errors;
  std::shared_ptr<const compat::Tables> tables;  // that the rows are of
  std::string close_name;             // of a known error, where a word was typed that is none
  std::optional<int> command_status;  // of the command; 128 + the signal that killed it
};

// Recognises errors of CUDA, its libraries and the frameworks. A command has our standard streams;
// its stderr is read on the way. Throws Interrupted while a log is read.
ExplainResult explain(const ExplainRequest& request, const Host& host);

}  // namespace cudaenv::commands
