#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/version.hpp"
#include "sys/loader_cache.hpp"
#include "sys/tree.hpp"

namespace cudaenv::doctor {

// A library that CUDA programs load, by the name that they ask for.
struct LibraryFile {
  std::string name;                // "libcudnn_ops.so.9": as it stands in its folder
  std::string path;                // without links
  std::string soname;              // what the file says that it is; empty: it says nothing
  std::optional<Version> version;  // of its file's name or of the constant in it: "9.19.0"
  std::string run_path;
};

// Whether NVIDIA makes a library of this name ("libcudart.so.12", "libcudnn_ops.so.9").
bool is_nvidia_library(std::string_view name);

// NVIDIA's libraries in a folder that programs may load: names with a number behind ".so.". Reads
// their heads only.
std::vector<LibraryFile> nvidia_libraries(const sys::Tree& tree, const std::string& folder);

// One element of LD_LIBRARY_PATH.
struct LoaderFolder {
  std::string written;  // as it stands there; empty means the current folder
  std::string path;     // without links; empty: there is no such folder
  std::vector<LibraryFile> libraries;

  bool is_relative() const { return !written.starts_with('/'); }
};

// Where the loader looks for a program's libraries, the first hit wins: LD_LIBRARY_PATH, then its
// cache.
struct LoaderFacts {
  std::vector<LoaderFolder> folders;
  std::vector<LibraryFile> cached;        // NVIDIA's, 64-bit, of a file that is there
  std::vector<sys::CachedLibrary> stale;  // of a file that is not

  struct Hit {
    const LibraryFile* file;
    std::string from;  // the element of LD_LIBRARY_PATH, or "ld.so.cache"
  };
  // Everything of this name, the winner first.
  std::vector<Hit> hits(std::string_view name) const;
  // Every name of a library that begins so, sorted.
  std::vector<std::string> names(std::string_view start) const;
};

LoaderFacts loader_facts(const sys::Tree& tree, std::string_view ld_library_path);

// "libcudnn_ops.so.9" is a file of major 9; nothing for a name without a number.
std::optional<unsigned> soname_major(std::string_view name);

}  // namespace cudaenv::doctor
