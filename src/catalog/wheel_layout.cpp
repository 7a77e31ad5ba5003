#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "catalog/wheels.hpp"

namespace cudaenv::catalog {
namespace {

using Parts = std::vector<std::string_view>;

// The parts of a path that stays where it is put; nothing for any other. Folders (a trailing
// slash), empty parts, "." and "..", control characters and backslashes are refused.
std::optional<Parts> clean_parts(std::string_view path) {
  const auto odd = [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f || c == '\\';
  };
  if (path.empty() || std::any_of(path.begin(), path.end(), odd)) return std::nullopt;
  Parts parts = text::split(path, '/');
  for (const auto part : parts)
    if (part.empty() || part == "." || part == "..") return std::nullopt;
  return parts;
}

std::string joined(const Parts& parts, std::size_t from) {
  std::string path;
  for (std::size_t i = from; i < parts.size(); ++i) {
    if (i > from) path += '/';
    path += parts[i];
  }
  return path;
}

bool is_licence(std::string_view name) {
  const std::string lower = text::lower(name);
  return lower == "license" || lower == "license.txt";
}

// "x.dist-info/License.txt" (mostly until 12.9) or "x.dist-info/licenses/License.txt".
std::optional<std::string> dist_info_place(const Parts& parts) {
  const bool direct = parts.size() == 2;
  const bool nested = parts.size() == 3 && parts[1] == "licenses";
  if ((direct || nested) && is_licence(parts.back())) return "LICENSE";
  return std::nullopt;
}

// What Python or NVIDIA's build leaves in the tree: no part of a toolkit.
bool is_leftover(const Parts& parts, std::size_t from) {
  for (std::size_t i = from; i < parts.size(); ++i) {
    if (parts[i].starts_with('.') || parts[i] == "__pycache__") return true;
  }
  return parts.back() == "__init__.py" || parts.back().ends_with(".pyc");
}

// The sanitizer of a wheel that spreads it over bin/, include/ and lib/: its archive has it in a
// folder of its own, where its headers don't meet CUPTI's of the same names.
std::optional<std::string> sanitizer_place(const std::string& path) {
  if (path.starts_with("bin/lib")) return std::nullopt;  // a copy of what lib/ has
  for (const std::string_view folder : {"bin/", "lib/"}) {
    if (path.starts_with(folder)) return "compute-sanitizer/" + path.substr(folder.size());
  }
  if (path.starts_with("include/")) return "compute-sanitizer/" + path;
  return path;
}

// The wheel of 13 flattens what the archive keeps in nvvm/.
std::string nvvm_place(const std::string& path) {
  if (path.starts_with("lib/libnvvm.so")) return "nvvm/lib64/" + path.substr(4);
  if (path == "include/nvvm.h") return "nvvm/" + path;
  return path;
}

// How many leading parts of a member's path stand for the prefix: "nvidia/cu13/bin/x" 2,
// "cusparselt/lib/x" 1 (older add-ons); 0 where the path lies in no such tree.
std::size_t tree_depth(std::string_view component, const Parts& parts) {
  if (parts[0] == "nvidia") return parts.size() > 2 ? 2 : 0;
  const bool own = parts[0] == component || "lib" + std::string(parts[0]) == component;
  return own && parts.size() > 1 ? 1 : 0;
}

std::optional<std::string> place(std::string_view component, std::string_view path,
                                 bool sanitizer_is_placed) {
  const auto parts = clean_parts(path);
  if (!parts) return std::nullopt;
  if (parts->front().ends_with(".dist-info")) return dist_info_place(*parts);

  const std::size_t depth = tree_depth(component, *parts);
  if (depth == 0 || is_leftover(*parts, depth)) return std::nullopt;
  if (parts->size() == depth + 1) {  // beside the folders lies nothing that archives have
    if (is_licence(parts->back())) return "LICENSE";
    return std::nullopt;
  }
  std::string placed = joined(*parts, depth);
  if (placed.starts_with("lib64/")) placed = "lib/" + placed.substr(6);
  if (component == "cuda_sanitizer_api" && !sanitizer_is_placed) return sanitizer_place(placed);
  if (component == "libnvvm") return nvvm_place(placed);
  return placed;
}

bool is_in_sanitizer_folder(const std::string& path) {
  return path.starts_with("nvidia/") && path.find("/compute-sanitizer/") != std::string::npos;
}

}  // namespace

std::vector<std::optional<std::string>> wheel_places(std::string_view component,
                                                     const std::vector<std::string>& paths) {
  const bool placed = std::any_of(paths.begin(), paths.end(), is_in_sanitizer_folder);
  std::vector<std::optional<std::string>> places;
  std::map<std::string, std::string_view> taken;
  for (const std::string& path : paths) {
    places.push_back(place(component, path, placed));
    if (!places.back()) continue;
    const auto [other, fresh] = taken.emplace(*places.back(), path);
    if (fresh) continue;
    if (*places.back() == "LICENSE") {  // the same text at the two places that Python knows
      places.back().reset();
      continue;
    }
    throw Error(ErrorKind::corrupt, fmt::format("the wheel of {} is malformed", component))
        .because(fmt::format("{} and {} belong at the same place: {}", text::visible(other->second),
                             text::visible(path), text::visible(other->first)));
  }
  return places;
}

std::optional<std::string> wheel_place(std::string_view component, std::string_view path) {
  return place(component, path, is_in_sanitizer_folder(std::string(path)));
}

}  // namespace cudaenv::catalog
