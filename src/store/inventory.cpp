#include "store/inventory.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace cudaenv::store {

namespace fs = std::filesystem;

namespace {

// One folder of a root. Adds it to the inventory if it is a prefix, or says what is odd.
void read_folder(const Layout& layout, const std::string& name, Inventory::Detail detail,
                 Inventory& inventory) {
  const fs::path folder = layout.root() / name;
  try {
    const auto stat = sys::stat_link(folder);
    if (!stat || stat->kind != sys::Kind::directory) return;
    const auto json = receipt_text(folder);
    if (!json) return;
    if (!is_prefix_name(name)) {
      inventory.oddities.push_back({folder, "its name is not one that a prefix can have", {}});
      return;
    }
    const std::string where = receipt_file(folder).string();
    Receipt receipt = detail == Inventory::Detail::whole ? read_receipt(*json, where)
                                                         : read_receipt_summary(*json, where);
    if (receipt.name != name) {
      inventory.oddities.push_back(
          {folder, fmt::format("it was moved or copied: its receipt says `{}`", receipt.name), {}});
      receipt.name = name;
    }
    inventory.prefixes.push_back({folder, std::move(receipt), layout});
  } catch (const Error& error) {
    // One damaged prefix must not hide the others.
    auto advice = error.advice();
    if (error.kind() == ErrorKind::corrupt && advice.empty()) {
      advice.push_back(damaged_receipt_advice(folder));
    }
    inventory.oddities.push_back({folder, error.what(), std::move(advice)});
  }
}

}  // namespace

Inventory Inventory::read(const std::vector<Layout>& roots, Detail detail) {
  return read(roots, detail, [](const std::string&) { return true; });
}

Inventory Inventory::read_for(const Spec& spec, const std::vector<Layout>& roots) {
  const bool by_name = std::holds_alternative<Spec::Name>(spec.value());
  return read(roots, Detail::summary, [&](const std::string& name) {
    const auto release = version_in_plain_name(name);
    return by_name || !release || release->parts().size() < 3 || spec.accepts(*release);
  });
}

std::optional<InstalledPrefix> Inventory::read_at(const fs::path& folder,
                                                  const std::vector<Layout>& roots) {
  if (!sys::is_directory(folder)) return std::nullopt;
  const fs::path real = sys::canonical(folder);
  for (const auto& layout : roots) {
    if (!sys::is_directory(layout.root())) continue;
    if (sys::canonical(layout.root()) != real.parent_path()) continue;
    Inventory inventory;
    read_folder(layout, real.filename().string(), Detail::summary, inventory);
    if (!inventory.prefixes.empty()) return std::move(inventory.prefixes.front());
  }
  return std::nullopt;
}

Inventory Inventory::read(const std::vector<Layout>& roots, Detail detail,
                          const std::function<bool(const std::string&)>& is_wanted) {
  Inventory inventory;
  for (const auto& layout : roots) {
    for (const auto& name : sys::list(layout.root())) {
      if (name.starts_with('.') || inventory.find_exact(name) || !is_wanted(name)) continue;
      read_folder(layout, name, detail, inventory);
    }
  }
  std::stable_sort(inventory.prefixes.begin(), inventory.prefixes.end(),
                   [](const InstalledPrefix& one, const InstalledPrefix& other) {
                     const auto order = one.receipt.cuda <=> other.receipt.cuda;
                     return order != 0 ? order > 0 : one.receipt.name < other.receipt.name;
                   });
  return inventory;
}

const InstalledPrefix* Inventory::find(const Spec& spec) const {
  const auto& value = spec.value();
  if (std::holds_alternative<Spec::Auto>(value) || std::holds_alternative<Spec::System>(value)) {
    return nullptr;
  }
  if (std::holds_alternative<Spec::Name>(value)) return find_name(spec.text());
  if (std::holds_alternative<Spec::Partial>(value)) {
    // "cuda-12.1" may be what somebody called a prefix of his own. Not so if a folder was renamed
    // to a release that it is not: whoever asks for 12.1 never means an 11.8.
    const auto* named = find_name(spec.text());
    if (named && spec.accepts(named->receipt.cuda)) return named;
  }
  const InstalledPrefix* best = nullptr;
  for (const auto& prefix : prefixes) {
    if (!spec.accepts(prefix.receipt.cuda)) continue;
    const auto order =
        best ? prefix.receipt.cuda <=> best->receipt.cuda : std::strong_ordering::greater;
    if (order > 0 ||
        (order == 0 && has_plain_name(prefix.receipt) && !has_plain_name(best->receipt))) {
      best = &prefix;
    }
  }
  return best;
}

const InstalledPrefix* Inventory::find_name(const std::string& name) const {
  if (const auto* exact = find_exact(name)) return exact;
  return find_exact("cuda-" + name);
}

std::vector<Oddity> Inventory::unreadable() const {
  std::vector<Oddity> unreadable;
  std::copy_if(
      oddities.begin(), oddities.end(), std::back_inserter(unreadable), [&](const Oddity& oddity) {
        return std::none_of(prefixes.begin(), prefixes.end(),
                            [&](const auto& prefix) { return prefix.path == oddity.path; });
      });
  return unreadable;
}

const InstalledPrefix* Inventory::find_exact(const std::string& name) const {
  for (const auto& prefix : prefixes) {
    if (prefix.receipt.name == name) return &prefix;
  }
  return nullptr;
}

bool has_plain_name(const Receipt& receipt) { return receipt.name == plain_name(receipt.cuda); }

std::string short_name(const Receipt& receipt) {
  constexpr std::string_view added = "cuda-";
  const std::string_view name = receipt.name;
  if (!name.starts_with(added)) return receipt.name;
  const std::string_view rest = name.substr(added.size());
  // "cuda-latest" and "cuda-cuda-x" would mean something else without it.
  if (!is_prefix_name(rest) || rest.starts_with("cuda")) return receipt.name;
  return std::string(rest);
}

}  // namespace cudaenv::store
