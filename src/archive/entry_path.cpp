#include "archive/entry_path.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::archive {
namespace {

// Below what Linux takes in one call (4096), so that the tree may be put into any root.
constexpr std::size_t longest_path = 1024;
constexpr std::size_t longest_name = 255;

bool has_control_character(std::string_view bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](char byte) {
    const auto code = static_cast<unsigned char>(byte);
    return code < 0x20 || code == 0x7f;
  });
}

void check_component(std::string_view raw, std::string_view name) {
  if (name.empty()) refuse(raw, "has an empty name in its path");
  if (name == ".") refuse(raw, "has `.` in its path");
  if (name == "..") refuse(raw, "has `..` in its path, which leads out of the archive");
  if (name.size() > longest_name) refuse(raw, "has a name of more than 255 bytes in its path");
}

}  // namespace

void refuse(std::string_view entry, std::string_view wrong) {
  throw Error(ErrorKind::corrupt, fmt::format("`{}` {}", text::visible(entry), wrong));
}

std::string checked_path(std::string_view raw) {
  if (raw.empty()) refuse(raw, "is an entry without a name");
  if (raw.size() > longest_path) refuse(raw, "has a path of more than 1024 bytes");
  if (has_control_character(raw)) refuse(raw, "has a control character in its path");
  if (raw.front() == '/') refuse(raw, "has an absolute path");

  std::string_view path = raw;
  while (path.starts_with("./")) path.remove_prefix(2);
  if (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty() || path == ".") return {};
  for (const std::string_view name : text::split(path, '/')) check_component(raw, name);
  return std::string(path);
}

void check_target(std::string_view entry, std::string_view target) {
  if (target.empty()) refuse(entry, "is a link without a target");
  if (target.size() > longest_path) refuse(entry, "is a link with a target of over 1024 bytes");
  if (has_control_character(target)) refuse(entry, "is a link with a control character in it");
  if (target.front() == '/') refuse(entry, "is a link to an absolute path");
  for (const std::string_view name : components(target)) {
    if (name.size() > longest_name) refuse(entry, "is a link to a name of more than 255 bytes");
  }
}

std::vector<std::string_view> components(std::string_view path) {
  std::vector<std::string_view> names = text::split(path, '/');
  std::erase_if(names, [](std::string_view name) { return name.empty() || name == "."; });
  return names;
}

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace cudaenv::archive
