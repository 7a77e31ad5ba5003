#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/archive_builder.hpp"
#include "support/mirror_server.hpp"
#include "support/temp_dir.hpp"

namespace cudaenv::test {

// A small distribution in the shape of NVIDIA's: archives with true digests, manifests that
// describe them, and a server for both. The releases are not in the built-in index or differ from
// it, so commands need --trust-mirror.
class MiniMirror {
 public:
  MiniMirror();

  // Adds a component to a release (made where it is new). Without files it gets one program, one
  // header and one library of its own name. `variant` nests it, as cuDNN does ("cuda12").
  struct Part {
    std::string component;
    std::string version;
    std::vector<BuiltFile> files{};
    std::vector<BuiltLink> links{};
    std::string variant{};
  };
  void add(const std::string& product, const std::string& release, const Part& part);

  // The smallest release that the profile minimal accepts: nvcc, cudart, cccl, nvrtc, profiler api.
  void add_minimal(const std::string& release);

  // Writes the manifests; to be called after the last add().
  void publish();

  MirrorServer& server() { return server_; }
  std::string url() const { return server_.url(); }
  const std::filesystem::path& folder() const { return folder_.path(); }
  // Path on the server of a component's archive.
  std::string archive_path(const std::string& component) const { return archives_.at(component); }
  // How many archives were asked for so far.
  std::size_t archive_requests() const;

 private:
  TempDir folder_;
  MirrorServer server_;
  // product -> release -> component -> the JSON of its entry without the braces
  std::map<std::string, std::map<std::string, std::map<std::string, std::string>>> entries_;
  std::map<std::string, std::string> archives_;
};

}  // namespace cudaenv::test
