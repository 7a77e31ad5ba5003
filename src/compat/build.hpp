#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compat/finding.hpp"
#include "compat/tables.hpp"

// What a toolkit needs to compile.
namespace cudaenv::compat {

enum class Fit { fits, too_new, too_old, unknown };
std::string_view name_of(Fit fit);

struct BuildVerdict {
  Fit fit = Fit::unknown;
  std::vector<Finding> findings;
};

// A host compiler with the toolkit's nvcc.
BuildVerdict judge_compiler(const Tables& tables, const Version& toolkit,
                            const CompilerFacts& compiler);

// Whether the toolkit's nvcc reads NVCC_CCBIN: from 12.5 on. Tried: those of 11.8.89 and 12.4.131
// do not, 12.5.40's and 13.0.88's do; all four read NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS.
bool reads_ccbin(const Version& toolkit);

// What makes the toolkit's nvcc take this host compiler, a path or a command, for a shell.
std::string compiler_setting(const Version& toolkit, const std::string& compiler);

// Of those that fit the newest, gcc before clang; nothing where none does.
std::optional<CompilerFacts> choose_compiler(const Tables& tables, const Version& toolkit,
                                             const std::vector<CompilerFacts>& compilers);

// The C library's headers with the toolkit's.
BuildVerdict judge_glibc(const Tables& tables, const Version& toolkit, const Version& glibc);

}  // namespace cudaenv::compat
