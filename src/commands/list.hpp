#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/host.hpp"
#include "store/inventory.hpp"

namespace cudaenv::commands {

struct ListRequest {
  bool sizes = false;  // reads every file's status: slow on cold disks
};

struct ListedPrefix {
  store::InstalledPrefix prefix;
  bool is_default = false;
  bool is_active = false;                    // CUDA_HOME leads to it
  std::optional<std::uint64_t> disk_bytes;   // that its files take, shared ones too
  std::optional<std::uint64_t> frees_bytes;  // that its removal gives back
};

struct ListResult {
  std::vector<ListedPrefix> prefixes;
  std::vector<store::Oddity> oddities;
};

ListResult list(const ListRequest& request, const Host& host);

}  // namespace cudaenv::commands
