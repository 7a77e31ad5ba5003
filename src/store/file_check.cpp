#include "store/file_check.hpp"

#include <set>
#include <string_view>

#include "sys/file.hpp"
#include "sys/sha256.hpp"

namespace cudaenv::store {

std::optional<Difference> difference(const std::filesystem::path& root, const ListedFile& listed,
                                     const Interrupt& interrupt) {
  const auto path = root / listed.path;
  const auto stat = sys::stat_link(path);
  if (!stat) return Difference::missing;
  if (listed.kind == ListedFile::Kind::symlink) {
    const bool same = stat->kind == sys::Kind::symlink && sys::read_symlink(path) == listed.target;
    return same ? std::nullopt : std::make_optional(Difference::changed);
  }
  if (stat->kind != sys::Kind::regular || stat->size != listed.size) return Difference::changed;
  if (listed.sha256 && !(sys::sha256_file(path, interrupt) == *listed.sha256)) {
    return Difference::changed;
  }
  if (stat->mode != listed.mode) return Difference::mode;
  return std::nullopt;
}

std::vector<std::string> unlisted_files(const std::filesystem::path& prefix,
                                        const std::vector<ListedFile>& listed) {
  std::set<std::string_view> names;
  for (const auto& file : listed) names.insert(file.path);
  std::vector<std::string> unlisted;
  for (const auto& entry : sys::walk(prefix)) {
    if (entry.stat.kind == sys::Kind::directory || entry.path.starts_with(".cudaenv/")) continue;
    if (!names.count(entry.path)) unlisted.push_back(entry.path);
  }
  return unlisted;
}

}  // namespace cudaenv::store
