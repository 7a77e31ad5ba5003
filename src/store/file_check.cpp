#include "store/file_check.hpp"

#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/receipt.hpp"
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

std::vector<ListedFile> files_of(const std::filesystem::path& prefix) {
  const std::string file = file_list_file(prefix).string();
  const auto text = sys::read_if_present(file, longest_file_list);
  if (!text) {
    throw Error(ErrorKind::corrupt,
                fmt::format("the file list `{}` is missing", text::visible(file, 1000)));
  }
  return read_file_list(*text, file);
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
