#include "commands/list.hpp"

#include <map>
#include <set>

#include "store/store.hpp"
#include "sys/file.hpp"

namespace cudaenv::commands {
namespace {

using Inode = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

struct Usage {
  std::map<Inode, std::uint64_t> files;  // bytes on disk
};

Usage usage_of(const std::filesystem::path& folder) {
  Usage usage;
  for (const auto& entry : sys::walk(folder)) {
    if (entry.stat.kind != sys::Kind::regular) continue;
    usage.files[{entry.stat.device, entry.stat.inode}] = entry.stat.blocks * 512;
  }
  return usage;
}

// A prefix's removal frees what no other prefix shares. The store's own copies go with the last
// prefix that uses them (uninstall and gc see to it), so they do not count as users.
void add_sizes(std::vector<ListedPrefix>& prefixes) {
  std::vector<Usage> usages;
  std::map<Inode, unsigned> users;
  for (const auto& listed : prefixes) {
    usages.push_back(usage_of(listed.prefix.path));
    for (const auto& [inode, bytes] : usages.back().files) ++users[inode];
  }
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    std::uint64_t all = 0;
    std::uint64_t own = 0;
    for (const auto& [inode, bytes] : usages[i].files) {
      all += bytes;
      if (users[inode] == 1) own += bytes;
    }
    prefixes[i].disk_bytes = all;
    prefixes[i].frees_bytes = own;
  }
}

}  // namespace

ListResult list(const ListRequest& request, const Host& host) {
  const auto roots = reading_roots(host);
  auto inventory = store::Inventory::read(roots);
  std::set<std::filesystem::path> defaults;
  for (const auto& root : roots) {
    if (auto prefix = default_prefix(root)) defaults.insert(std::move(*prefix));
  }
  std::optional<std::filesystem::path> active;
  if (const auto home = host.environment.non_empty("CUDA_HOME"); home && sys::is_directory(*home)) {
    active = sys::canonical(*home);
  }
  ListResult result;
  result.oddities = std::move(inventory.oddities);
  for (auto& prefix : inventory.prefixes) {
    const auto real = sys::canonical(prefix.path);
    result.prefixes.push_back(
        {std::move(prefix), defaults.count(real) > 0, active == real, std::nullopt, std::nullopt});
  }
  if (request.sizes) add_sizes(result.prefixes);
  return result;
}

}  // namespace cudaenv::commands
