#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/components.hpp"
#include "model/spec.hpp"

namespace cudaenv::catalog {

// What a `.cudaenv` asks for. It names toolkits, never a path: whoever enters a stranger's folder
// gets nothing but what he installed himself.
struct Project {
  struct Library {
    std::string name;                // "cudnn"
    std::optional<Version> version;  // nothing: any
  };

  Spec cuda;
  std::size_t line = 1;              // that names it
  std::vector<Library> libraries{};  // that have to be in the toolkit
  std::optional<Profile> profile{};
  std::string framework{};         // of `for`: "pytorch==2.1"
  std::optional<bool> ld_path{};   // whether LD_LIBRARY_PATH is set
  std::vector<std::string> odd{};  // one line each: what was passed over
};

// Reads a bare version, or TOML with the keys cuda, profile, for, ld_path and those of the
// libraries. Windows' line ends, a byte order mark, blanks, comments and a missing newline at the
// end are all right; an unknown key is in `odd`. Throws Error(corrupt) with file and line for
// UTF-16 and garbage, for two versions, for none, and for what is no version, such as a path.
Project parse_project(std::string_view bytes, std::string_view file);

// The text that asks for `cuda` instead and else says the same, comments and all. Throws as
// parse_project, but for text that names no toolkit at all yet.
std::string with_cuda(std::string_view bytes, std::string_view file, const Spec& cuda);

}  // namespace cudaenv::catalog
