#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "commands/host.hpp"
#include "support/temp_dir.hpp"

namespace cudaenv::test {

// Keeps notes, steps and what was unpacked.
class NotingProgress final : public Progress {
 public:
  void unpack_end(std::string_view item) override { add("unpacked " + std::string(item)); }
  void note(std::string_view line) override { add("note " + std::string(line)); }
  std::vector<std::string> lines() const;

 private:
  void add(std::string line);
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

// A command's surroundings in a folder of their own: HOME, root and cache below `folder`, the real
// downloader, nothing of the process's environment. It is in the folder that PWD in `more` names.
class TestHost {
 public:
  explicit TestHost(const std::vector<std::pair<std::string, std::string>>& more = {});

  const commands::Host& host() const { return host_; }
  std::filesystem::path root() const { return folder_ / "root"; }
  const TempDir& folder() const { return folder_; }
  NotingProgress progress;

 private:
  TempDir folder_;
  NoInterrupt interrupt_;
  commands::Host host_;
};

}  // namespace cudaenv::test
