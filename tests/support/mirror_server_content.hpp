#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sys/fd.hpp"

namespace cudaenv::test {

// Something to serve: bytes in memory, or an open file.
struct MirrorContent {
  std::shared_ptr<const std::string> memory;
  sys::Fd file;
  std::uint64_t size = 0;
  std::string type = "application/octet-stream";
  std::string etag;
  std::string last_modified;
};

using MirrorFiles = std::map<std::string, std::shared_ptr<const std::string>>;

MirrorContent memory_content(std::shared_ptr<const std::string> bytes);

// What `path` names: a file in memory, one below `root`, or a folder's listing where it ends in a
// slash, or its index.html. Nothing where nothing is, and where it would leave `root`.
std::optional<MirrorContent> find_content(const std::string& path, const MirrorFiles& files,
                                          const std::filesystem::path& root);

// Whether a slash is missing at the end of `path`.
bool is_folder(const std::string& path, const MirrorFiles& files,
               const std::filesystem::path& root);

}  // namespace cudaenv::test
