#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "commands/compat_tables.hpp"
#include "commands/host.hpp"
#include "compat/solve.hpp"

namespace cudaenv::commands {

// Chooses the toolkit that suits this machine and, where one is named, a framework. What the
// choice needs is read once, when it is first asked for: a driver takes its time to start.
class ToolkitChooser {
 public:
  // `framework` as typed, "pytorch==2.1"; empty: none. Throws Error(usage) when first asked for a
  // word that is no framework.
  explicit ToolkitChooser(const Host& host, std::string framework = "")
      : host_(host), framework_(std::move(framework)) {}

  const compat::Answer& choose(const std::vector<Version>& candidates);
  // The same where also the cuDNNs that can be had are known.
  const compat::Answer& choose(const std::vector<Version>& candidates,
                               const std::vector<Version>& cudnn);

  // Adds to the last answer's findings what the framework makes of a cuDNN that somebody named.
  void judge_cudnn(const Version& cudnn);

  // Of the last choice.
  const std::optional<compat::Answer>& answer() const { return answer_; }

 private:
  const Host& host_;
  std::string framework_;
  std::optional<KnownTables> known_;
  std::optional<compat::Machine> machine_;
  std::optional<compat::Answer> answer_;
};

// What of this machine decides which toolkit it takes: driver, GPUs, C library, host compilers.
compat::Machine this_machine(const Host& host);

// Why this one, why not the next newer ones, and what still is to be known, line by line.
std::vector<std::string> reasons_for(const compat::Answer& answer);

// Says why none was taken, with what to do.
Error no_toolkit_error(const compat::Answer& answer);

}  // namespace cudaenv::commands
