#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.hpp"
#include "compat/solve.hpp"
#include "model/facts.hpp"
#include "sys/environment.hpp"
#include "sys/tree.hpp"

namespace cudaenv::doctor {

// The host compilers of a machine.
struct HostCompilers {
  // What nvcc takes: that of NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS or NVCC_CCBIN, else the gcc of
  // PATH. Nothing where there is none.
  std::optional<CompilerFacts> chosen;
  bool by_variable = false;  // one of those variables named it
  // Where it is NVCC_CCBIN that names it: this, and what an nvcc takes that does not read it.
  std::string ccbin;
  std::optional<CompilerFacts> without_ccbin;
  std::vector<CompilerFacts>
      installed;  // g++-N and clang++-N of the system's folders, newest first

  // As the toolkit's nvcc sees them; `ccbin` stays where it is not read.
  HostCompilers with(const Version& toolkit) const;
  // As compat::solve asks for them.
  void tell(compat::Machine& machine) const;
};

// On this machine the chosen compiler is asked; the others, and those of a tree, are known by their
// names and by the folders of their parts.
HostCompilers host_compilers(const sys::Tree& tree, const sys::Environment& environment,
                             const Interrupt& interrupt);

// "12" of "g++-12", "x86_64-linux-gnu-gcc-12", "clang++-14"; nothing for other names.
std::optional<CompilerFacts> compiler_of_name(std::string_view name);

// The C library's version: this machine's own, or as a tree's libc.so.6 tells.
std::optional<Version> glibc_version(const sys::Tree& tree);
// "2.36" of "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36."
std::optional<Version> version_of_glibc(std::string_view bytes);

}  // namespace cudaenv::doctor
