#pragma once

#include <map>
#include <string>
#include <vector>

#include "doctor/checks.hpp"
#include "support/temp_dir.hpp"

namespace cudaenv::test {

using Variables = std::map<std::string, std::string, std::less<>>;

// A miniature of another machine in a folder, and what `doctor` sees of it.
class Sysroot {
 public:
  Variables variables{{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  bool for_image = false;
  bool judge_all = false;
  bool root = false;
  std::string wanted;
  doctor::Assumed assumed;

  const TempDir& dir() const { return dir_; }
  void file(const std::string& path, const std::string& content = "") const;
  void program(const std::string& path, const std::string& content = "#!/bin/sh\n") const;
  void link(const std::string& path, const std::string& target) const;
  void folder(const std::string& path) const { dir_.make_dir(path.substr(1)); }

  // A whole toolkit as NVIDIA ships it, below /usr/local/cuda-<version> or elsewhere.
  std::string toolkit(const std::string& version, std::string prefix = {}) const;
  // The file of a library with its links: libcudart.so.12.1.105 in `folder`.
  void library(const std::string& folder, const std::string& soname,
               const std::string& full_name = {}) const;
  // The parts of cuDNN of a version, such as 8.9.7 or 9.19.0, in a folder.
  void cudnn(const std::string& folder, const std::string& version,
             std::vector<std::string> parts = {"", "_ops", "_cnn"}) const;
  // The driver's kernel module and its libcuda.
  void driver(const std::string& module, const std::string& library) const;
  void gpu(const std::string& bus = "0000:01:00.0", const std::string& driver = "nvidia") const;
  // What ld.so.cache lists: names and paths.
  void loader_cache(const std::vector<std::pair<std::string, std::string>>& libraries) const;

  doctor::Observed seen() const;
  // Every finding, "severity id: what was seen", in order.
  std::vector<std::string> found() const;
  // The finding with this id; a failed check where there is none.
  compat::Finding finding(const std::string& id) const;
  bool has(const std::string& id) const;

 private:
  TempDir dir_;
};

}  // namespace cudaenv::test
