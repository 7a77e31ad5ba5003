#include "commands/store_use.hpp"

#include <functional>
#include <set>

#include "base/error.hpp"
#include "commands/wait.hpp"
#include "store/inventory.hpp"
#include "store/staging.hpp"
#include "store/store.hpp"
#include "sys/file.hpp"

namespace cudaenv::commands {
namespace {

std::filesystem::path use_lock_file(const store::Layout& layout) {
  return layout.state() / "locks" / "store";
}

// The digests of all archives that prefixes of this root are made of.
std::set<Digest> used_archives(const store::Inventory& inventory) {
  std::set<Digest> used;
  for (const auto& prefix : inventory.prefixes) {
    for (const auto& component : prefix.receipt.components) used.insert(component.sha256);
  }
  return used;
}

// Whether an install may be working on it that the lock of the store does not keep out.
using MayBeInUse = std::function<bool(const std::filesystem::path&)>;

void collect_downloads(const store::Layout& layout, bool only_look, const MayBeInUse& in_use,
                       Collected& collected) {
  for (const auto& name : sys::list(layout.downloads())) {
    const auto path = layout.downloads() / name;
    const auto stat = sys::stat_link(path);
    if (!stat || stat->kind != sys::Kind::regular || in_use(path)) continue;
    collected.downloads.push_back(name);
    collected.bytes += stat->blocks * 512;
    if (!only_look) sys::remove_if_present(path);
  }
}

}  // namespace

sys::FileLock use_store(const store::Layout& layout, const Host& host) {
  return sys::FileLock::shared(use_lock_file(layout), "the store", lock_wait(host));
}

Collected collect(const store::Layout& layout, bool only_look) {
  Collected collected;
  if (!sys::is_directory(layout.state())) return collected;
  const auto lock = sys::FileLock::try_exclusive(use_lock_file(layout), "collecting the store");
  if (!lock) {
    collected.busy = true;
    return collected;
  }
  const MayBeInUse in_use = [&](const std::filesystem::path& path) {
    return !lock->guards() && !store::is_out_of_use(path, use_lock_file(layout));
  };
  const auto inventory = store::Inventory::read({layout});
  collected.unreadable = inventory.unreadable();
  const auto used = used_archives(inventory);
  const store::ComponentStore store(layout);
  // A receipt that cannot be read may name any archive: then nothing is known to be unused.
  if (collected.unreadable.empty()) {
    for (const auto& entry : store.entries(true)) {
      if (used.count(entry.archive) || in_use(layout.store() / entry.name)) continue;
      collected.entries.push_back(entry.name);
      collected.bytes += entry.disk_bytes;
      if (!only_look) store.remove(entry.name);
    }
  }
  collect_downloads(layout, only_look, in_use, collected);
  if (!only_look) collected.leftovers = store::sweep(layout);
  return collected;
}

}  // namespace cudaenv::commands
