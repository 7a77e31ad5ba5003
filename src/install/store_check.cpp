#include "install/store_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "store/file_check.hpp"
#include "store/store.hpp"

namespace cudaenv::install {
namespace {

// A mode that was changed through a shared file does no harm here: what is assembled gets its own.
bool is_whole(const store::ComponentStore::Entry& entry, const Interrupt& interrupt) {
  return std::all_of(entry.files.begin(), entry.files.end(), [&](const store::ListedFile& file) {
    const auto difference = store::difference(entry.tree, file, interrupt);
    return !difference || *difference == store::Difference::mode;
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
