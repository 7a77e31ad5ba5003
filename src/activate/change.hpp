#pragma once

#include <map>
#include <string>
#include <string_view>

namespace cudaenv::activate {

using Variables = std::map<std::string, std::string, std::less<>>;

struct Options {
  bool ld_path = true;  // put lib/ first in LD_LIBRARY_PATH
  bool cudacxx = true;  // set CUDACXX
};

// The environment of a process that works with the toolkit at `prefix`: CUDA_HOME, CUDA_PATH,
// CUDA_ROOT and CUDAToolkit_ROOT name it, its bin/ and lib/ come first in PATH and LD_LIBRARY_PATH,
// MANPATH and PKG_CONFIG_PATH are extended. Entries of another prefix that the variables of
// `before` name as active are taken out. No list ever gets an empty element. Pure.
Variables activated(const Variables& before, const std::string& prefix, const Options& options);

// `entry` first in a colon-separated list, once; empty elements are dropped, since they would
// mean the current folder.
std::string with_first(std::string_view list, std::string_view entry);
std::string without_entry(std::string_view list, std::string_view entry);

}  // namespace cudaenv::activate
