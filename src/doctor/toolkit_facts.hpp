#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/version.hpp"
#include "sys/tree.hpp"

namespace cudaenv::doctor {

// Who put a toolkit there.
enum class Owner { cudaenv, nvidia, distribution, conda };
std::string_view name_of(Owner owner);

// What one of a toolkit's files says of its version: "12.1.1" of version.json, "12.1" of cuda.h.
struct VersionClaim {
  std::string source;
  Version version;
};

// A toolkit, or what is there of one, as its files show it; nothing of it is run.
struct ToolkitFacts {
  std::string path;                   // without links
  std::vector<std::string> named_by;  // "CUDA_HOME", "PATH", "/usr/local/cuda", "CONDA_PREFIX", ...
  Owner owner = Owner::nvidia;
  std::vector<VersionClaim> claims;  // version.json, version.txt, cuda.h, libcudart, nvcc
  std::string nvcc;                  // files and folders that are there; empty: it has none
  std::string ptxas;
  std::string libdevice;
  std::string include;  // where cuda.h or cuda_runtime_api.h lies
  std::string lib;      // where libcudart lies
  bool lib64 = true;    // whether lib64 leads to the libraries too
  bool split = false;   // a distribution's: programs, headers and libraries in folders of their own
  std::vector<std::string> unreadable;  // what others than its owner may not read, some of it

  // The most exact of the claims; nothing where there is none.
  std::optional<Version> version() const;
  bool is_compiler() const { return !nvcc.empty(); }
  // "12.1.1 in /usr/local/cuda-12.1", for a line of text.
  std::string shown() const;
  // How commands of cudaenv name it, where cudaenv installed it; fit for a shell.
  std::string spec() const;
  // What to type to use it in a shell: cudaenv activates those that it installed.
  std::string activation() const;
};

// Reads the prefix at `path`; nothing where it holds no part of a toolkit.
std::optional<ToolkitFacts> toolkit_facts(const sys::Tree& tree, std::string_view path);

// The prefix that a compiler belongs to: the folder above its bin/; of a distribution's
// /usr/bin/nvcc "/usr".
std::string prefix_of_nvcc(const sys::Tree& tree, std::string_view nvcc);

// The versions that texts of a toolkit tell; nothing for other texts.
std::optional<Version> version_of_json(std::string_view text);    // version.json
std::optional<Version> version_of_text(std::string_view text);    // version.txt
std::optional<Version> version_of_header(std::string_view text);  // cuda.h
// "release 12.1, V12.1.105", as nvcc prints it and as its file holds it: 12.1.
std::optional<Version> version_of_nvcc(std::string_view text);

}  // namespace cudaenv::doctor
