#include "install/store_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "store/store.hpp"
#include "sys/file.hpp"
#include "sys/sha256.hpp"

namespace cudaenv::install {
namespace {

bool is_whole(const store::ComponentStore::Entry& entry, const Interrupt& interrupt) {
  return std::all_of(entry.files.begin(), entry.files.end(), [&](const store::ListedFile& file) {
    const auto path = entry.tree / file.path;
    const auto stat = sys::stat_link(path);
    if (!stat) return false;
    if (file.kind == store::ListedFile::Kind::symlink) return stat->kind == sys::Kind::symlink;
    return stat->kind == sys::Kind::regular && stat->size == file.size &&
           (!file.sha256 || sys::sha256_file(path, interrupt) == *file.sha256);
  });
}

}  // namespace

void drop_damaged(const Context& context, const store::Layout& layout, Plan& plan) {
  const store::ComponentStore store(layout);
  for (auto& part : plan.parts) {
    if (!part.stored) continue;
    context.progress.step(fmt::format("checking {}", part.offer.component));
    const auto entry = store.find(part.offer.sha256, std::string(name_of(part.filter)));
    if (entry && is_whole(*entry, context.interrupt)) continue;
    if (entry) store.remove(entry->tree.parent_path().filename().string());
    part.stored = false;
  }
}

}  // namespace cudaenv::install
