#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "catalog/lock_file.hpp"
#include "commands/choice.hpp"
#include "commands/install.hpp"

namespace cudaenv::commands {

struct SyncRequest {
  InstallRequest install;  // where from and how; what is asked for comes from the project
  bool locked = false;     // exactly what `.cudaenv.lock` says
};

struct SyncResult {
  ProjectFile file;
  std::optional<store::InstalledPrefix> present;  // it is installed as asked
  std::optional<PreparedInstall> todo;            // else what to do
};

// `sync`: whether the toolkit of the project is there, by receipts alone; and unless `only_check`
// the plan that brings it. Throws Error(missing) without a project file; with `locked` also
// without a lock file, where the two disagree, and where the source has other archives.
SyncResult sync(const SyncRequest& request, bool only_check, const Host& host);

struct LockResult {
  std::filesystem::path file;
  catalog::Lock lock;
  bool changed = false;
};

// `lock`: chooses release and archives for what the project asks, and writes them down beside
// its file, for `platforms`, or for all that the source serves. Installs nothing.
LockResult lock(const InstallRequest& source, const std::vector<std::string>& platforms,
                const Host& host);

}  // namespace cudaenv::commands
