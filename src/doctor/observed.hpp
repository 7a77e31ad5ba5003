#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/compiler_facts.hpp"
#include "doctor/loader_facts.hpp"
#include "doctor/toolkit_facts.hpp"
#include "gpu/driver_report.hpp"
#include "gpu/xid.hpp"

// `doctor`: what is seen of a machine, and the checks that judge it. Seeing reads and never
// changes; judging is a function of what was seen.
namespace cudaenv::doctor {

// An nvcc of PATH, in its order: the first one runs.
struct NvccOnPath {
  std::string path;
  std::string prefix;  // that it belongs to
  std::optional<Version> version;
  Owner owner = Owner::nvidia;
};

// A variable or a link that names a toolkit.
struct Naming {
  std::string by;      // "CUDA_HOME", "/usr/local/cuda", "PATH"
  std::string value;   // as it stands there
  std::string prefix;  // without links; empty: it leads to no folder
};

// What replaces what is found, so that a login node or CI can ask for another machine.
struct Assumed {
  std::optional<Version> driver;
  std::optional<std::vector<GpuFacts>> gpus;
  std::optional<Version> glibc;
  std::optional<Version> gcc;

  bool any() const { return driver || gpus || glibc || gcc; }
};

struct Observed {
  bool machine = true;     // false: a tree that stands for another machine or an image
  bool for_image = false;  // no driver is expected here
  sys::Environment environment;
  bool root = false;
  gpu::DriverReport driver;
  bool assumed_driver = false;
  std::vector<gpu::Xid> xids;  // of the kernel log; empty too where this user may not read it
  std::optional<Version> glibc;
  HostCompilers compilers;
  std::vector<NvccOnPath> nvccs;
  std::vector<Naming> namings;         // in the order in which they count
  std::vector<ToolkitFacts> toolkits;  // all that were found
  std::vector<std::string> judged;     // paths of those that are judged; the active one first
  LoaderFacts loader;
  std::vector<LoaderFolder> toolkit_libraries;  // of the toolkits that are judged
  std::vector<LoaderFolder> wheels;             // that the active Python environment brings
  std::vector<std::string> default_hops;        // of /usr/local/cuda, where it is a link
  std::string wanted;                           // a library that was asked for; empty: none
  std::vector<std::string> wanted_in;           // toolkits' folders that hold it
  std::string conda;  // the active conda environment's folder; empty: none

  const ToolkitFacts* toolkit(std::string_view path) const;
  // The one that programs are built with here: what CUDA_HOME names, else the first nvcc of PATH,
  // else the default link; nothing where none does.
  const ToolkitFacts* active() const;
  // Of a library in a toolkit that is judged, by the beginning of its file's name ("libcudnn");
  // nothing where it is not there or does not tell.
  std::optional<Version> library_version(const ToolkitFacts& facts, std::string_view start) const;
};

struct ObserveRequest {
  sys::Tree tree;
  sys::Environment environment;
  Assumed assumed;
  bool for_image = false;
  bool root = false;
  std::vector<std::string> prefixes;  // further toolkits: those that cudaenv installed
  std::vector<std::string> judged;    // paths to judge; empty: the active one
  bool judge_all = false;
  std::string wanted;  // the soname of a library to look for; empty: none
  std::chrono::milliseconds driver_limit = std::chrono::seconds(20);
};

Observed observe(const ObserveRequest& request, const Interrupt& interrupt);

}  // namespace cudaenv::doctor
