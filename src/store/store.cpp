#include "store/store.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/spec.hpp"
#include "store/staging.hpp"
#include "sys/file.hpp"

namespace cudaenv::store {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t digest_length = 64;
constexpr std::string_view whole = "all";

std::string entry_name(const Digest& archive, const std::string& filter) {
  if (filter == whole) return archive.hex();
  return archive.hex() + "-" + filter;
}

// What an entry's folder name says; nothing where it is not one of ours.
std::optional<ComponentStore::Stored> parse_entry_name(const std::string& name) {
  if (name.size() < digest_length) return std::nullopt;
  const auto archive = Digest::from_hex(std::string_view(name).substr(0, digest_length));
  if (!archive) return std::nullopt;
  std::string filter(whole);
  if (name.size() > digest_length) {
    filter = name.substr(digest_length + 1);
    if (!is_prefix_name(filter)) return std::nullopt;
  }
  // One spelling an entry: no upper case, no "-all".
  if (entry_name(*archive, filter) != name) return std::nullopt;
  return ComponentStore::Stored{name, *archive, filter};
}

fs::path list_file(const fs::path& entry) { return entry / "files.tsv"; }
fs::path tree_folder(const fs::path& entry) { return entry / "tree"; }

// By kind and size alone: to read the bytes would take as long as to unpack them.
bool is_there(const fs::path& tree, const ListedFile& file) {
  const auto stat = sys::stat_link(tree / file.path);
  if (!stat) return false;
  if (file.kind == ListedFile::Kind::symlink) return stat->kind == sys::Kind::symlink;
  return stat->kind == sys::Kind::regular && stat->size == file.size;
}

std::optional<ComponentStore::Entry> read_entry(const fs::path& entry) {
  try {
    const auto list = sys::read_if_present(list_file(entry), longest_file_list);
    if (!list) return std::nullopt;
    ComponentStore::Entry read{tree_folder(entry),
                               read_file_list(*list, list_file(entry).string())};
    const bool complete =
        sys::is_directory(read.tree) &&
        std::all_of(read.files.begin(), read.files.end(),
                    [&](const ListedFile& file) { return is_there(read.tree, file); });
    if (!complete) return std::nullopt;
    return read;
  } catch (const Error&) {
    // Damaged or unreadable: as good as absent, and replaced by the next one to be published.
    return std::nullopt;
  }
}

std::uint64_t bytes_on_disk(const fs::path& folder) {
  std::uint64_t blocks = 0;
  for (const auto& entry : sys::walk(folder)) blocks += entry.stat.blocks;
  return blocks * 512;
}

}  // namespace

std::optional<ComponentStore::Entry> ComponentStore::find(const Digest& archive,
                                                          const std::string& filter) const {
  auto entry = read_entry(layout_.store() / entry_name(archive, filter));
  if (entry || filter == whole) return entry;
  return read_entry(layout_.store() / entry_name(archive, std::string(whole)));
}

bool ComponentStore::contains(const Digest& archive, const std::string& filter) const {
  return find(archive, filter).has_value();
}

void ComponentStore::publish(const Digest& archive, const std::string& filter,
                             const fs::path& staged, const std::vector<ListedFile>& files) const {
  const fs::path entry = layout_.store() / entry_name(archive, filter);
  sys::create_directories(layout_.store());
  sys::set_mode(staged, 0755);
  // What a power cut may leave follows from this order. All data of the tree is on the disk
  // before the list exists; the list, written last, is on the disk before the name is; so a name
  // that survived stands for a whole entry. The folder of the name is synced at the end, so that
  // a receipt written later does not outlive the entries it names.
  sys::sync_filesystem(staged);
  sys::write_atomically(list_file(staged), write_file_list(files));
  while (!sys::rename_new(staged, entry)) {
    if (read_entry(entry)) {
      sys::remove_tree(staged);
      return;
    }
    // Somebody else may be replacing the damaged one as well.
    if (sys::exists(entry)) discard(layout_, entry);
  }
  sys::sync_directory(layout_.store());
}

std::vector<ComponentStore::Stored> ComponentStore::entries(bool with_sizes) const {
  std::vector<Stored> entries;
  for (const auto& name : sys::list(layout_.store())) {
    auto stored = parse_entry_name(name);
    if (!stored) continue;
    if (with_sizes) stored->disk_bytes = bytes_on_disk(layout_.store() / name);
    entries.push_back(std::move(*stored));
  }
  return entries;
}

void ComponentStore::remove(const std::string& name) const {
  if (!parse_entry_name(name) || !sys::exists(layout_.store() / name)) {
    throw Error(ErrorKind::missing,
                fmt::format("the store has no entry `{}`", text::visible(name, 80)));
  }
  discard(layout_, layout_.store() / name);
}

}  // namespace cudaenv::store
