#pragma once

#include <filesystem>

namespace cudaenv::sys {

// A folder of our own below TMPDIR (or /tmp), which goes with this object.
class ScratchFolder {
 public:
  // `parent` is TMPDIR's value. Throws Error(system, full).
  explicit ScratchFolder(const std::filesystem::path& parent);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace cudaenv::sys
