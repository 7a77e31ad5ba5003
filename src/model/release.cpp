#include "model/release.hpp"

#include <algorithm>
#include <array>

namespace cudaenv {

const Archive* PlatformArchives::for_cuda(const Version& cuda) const {
  for (const std::size_t numbers : {std::size_t{2}, std::size_t{1}}) {
    const auto found = variants.find("cuda" + cuda.first(numbers).text());
    if (found != variants.end()) return &found->second;
  }
  return plain ? &*plain : nullptr;
}

const Component* Release::find(std::string_view component) const {
  const auto found =
      std::lower_bound(components.begin(), components.end(), component,
                       [](const Component& one, std::string_view name) { return one.name < name; });
  if (found == components.end() || found->name != component) return nullptr;
  return &*found;
}

std::string archive_top_folder(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  static constexpr std::array suffixes{".tar.xz", ".tar.gz", ".tar.zst", ".tar", ".zip", ".whl"};
  for (const std::string_view suffix : suffixes) {
    if (name.ends_with(suffix)) return std::string(name.substr(0, name.size() - suffix.size()));
  }
  return std::string(name);
}

std::string redist_folder(std::string_view product) {
  return "compute/" + std::string(product) + "/redist";
}

}  // namespace cudaenv
