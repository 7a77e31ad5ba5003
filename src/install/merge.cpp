#include "install/merge.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/sha256.hpp"

namespace cudaenv::install {
namespace {

using How = Placement::How;
using store::ListedFile;
using Placements = std::map<std::string, Placement>;

// Files that users are told to edit: a change must not reach other prefixes through the store.
bool is_edited(std::string_view path) {
  static constexpr std::array edited{"bin/nvcc.profile", "include/crt/host_config.h"};
  return std::find(edited.begin(), edited.end(), path) != edited.end();
}

std::string placed_path(const std::string& component, const std::string& path) {
  // Every archive has a LICENSE at its top, and they differ.
  if (path.find('/') == std::string::npos && text::lower(path).starts_with("license")) {
    return fmt::format("share/licenses/{}/{}", component, path);
  }
  return path;
}

[[noreturn]] void clash(const std::string& path, const std::string& one, const std::string& other,
                        std::string_view how) {
  throw Error(ErrorKind::corrupt,
              fmt::format("`{}` is in two components, {}", text::visible(path), how))
      .because(fmt::format("{} and {} both bring it", one, other))
      .help(fmt::format("leave one out with `--without {}` or `--without {}`", other, one));
}

bool equal_content(const ListedFile& a, const ListedFile& b) {
  return a.kind == b.kind && a.sha256 == b.sha256 && a.target == b.target;
}

void add(Placements& placements, Placement placement) {
  const std::string path = placement.file.path;
  const auto [at, fresh] = placements.try_emplace(path, placement);
  if (fresh) return;
  if (!equal_content(at->second.file, placement.file)) {
    clash(path, at->second.file.component, placement.file.component, "with different contents");
  }
  // One of them may be a program for the other.
  at->second.file.mode |= placement.file.mode;
}

void add_piece(Placements& placements, const Piece& piece) {
  for (const auto& listed : piece.files) {
    Placement placement{How::share, listed, piece.tree / listed.path, ""};
    placement.file.component = piece.component;
    placement.file.path = placed_path(piece.component, listed.path);
    if (listed.kind == ListedFile::Kind::symlink) {
      placement.how = How::link;
    } else if (listed.path.ends_with(".pc")) {
      placement.how = How::rewrite;
    } else if (is_edited(listed.path)) {
      placement.how = How::copy;
    }
    add(placements, std::move(placement));
  }
}

// A path must not be a file here and a folder there.
void check_folders(const Placements& placements) {
  for (const auto& [path, placement] : placements) {
    for (auto slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      const auto file = placements.find(path.substr(0, slash));
      if (file != placements.end()) {
        clash(file->first, file->second.file.component, placement.file.component,
              "as a file and as a folder");
      }
    }
  }
}

bool has_below(const Placements& placements, const std::string& folder) {
  const auto at = placements.lower_bound(folder + "/");
  return at != placements.end() && at->first.starts_with(folder + "/");
}

// A link of ours, unless something is there already.
void add_link(Placements& placements, const std::string& path, const std::string& target) {
  if (has_below(placements, path)) return;
  placements.try_emplace(
      path,
      Placement{
          How::link, {ListedFile::Kind::symlink, path, 0777, 0, std::nullopt, target, ""}, {}, ""});
}

// What tools look for besides what the archives bring.
void add_layout(Placements& placements, const Platform& platform) {
  add_link(placements, "lib64", "lib");
  const std::string target = platform.target_folder();
  if (!target.empty() && !has_below(placements, "targets")) {
    add_link(placements, "targets/" + target + "/include", "../../include");
    add_link(placements, "targets/" + target + "/lib", "../../lib");
  }
  if (placements.count("include/cupti.h") && !has_below(placements, "extras/CUPTI/include")) {
    add_link(placements, "extras/CUPTI/include", "../../include");
    add_link(placements, "extras/CUPTI/lib64", "../../lib");
  }
}

// nsight-compute/2025.3.1/ncu -> bin/ncu: the archives nest the version, PATH has bin/.
void add_nsight_tools(Placements& placements) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> tools{{
      {"nsight-compute/", "/ncu"},
      {"nsight-compute/", "/ncu-ui"},
      {"nsight-systems/", "/bin/nsys"},
      {"nsight-systems/", "/bin/nsys-ui"},
  }};
  std::vector<std::pair<std::string, std::string>> links;
  for (const auto& [path, placement] : placements) {
    for (const auto& [folder, tail] : tools) {
      if (!path.starts_with(folder) || !path.ends_with(tail)) continue;
      const std::string version =
          path.substr(folder.size(), path.size() - folder.size() - tail.size());
      if (version.empty() || version.find('/') != std::string::npos) continue;
      links.emplace_back("bin/" + std::string(tail.substr(tail.rfind('/') + 1)), "../" + path);
    }
  }
  for (const auto& [path, target] : links) add_link(placements, path, target);
}

std::string version_json(const std::vector<Piece>& pieces, const Version& cuda) {
  std::string json =
      fmt::format("{{\n  \"cuda\": {{\"name\": \"CUDA SDK\", \"version\": \"{}\"}}", cuda.text());
  std::map<std::string, std::string> versions;
  for (const auto& piece : pieces) versions.emplace(piece.component, piece.version);
  for (const auto& [component, version] : versions) {
    json += fmt::format(",\n  \"{}\": {{\"name\": \"{}\", \"version\": \"{}\"}}", component,
                        component, version);
  }
  return json + "\n}\n";
}

void add_version_json(Placements& placements, const std::vector<Piece>& pieces,
                      const Version& cuda) {
  const std::string content = version_json(pieces, cuda);
  placements.insert_or_assign(
      "version.json", Placement{How::text,
                                {ListedFile::Kind::file, "version.json", 0644, content.size(),
                                 sys::sha256(content), "", ""},
                                {},
                                content});
}

}  // namespace

std::vector<Placement> merge(const std::vector<Piece>& pieces, const Version& cuda,
                             const Platform& platform) {
  Placements placements;
  for (const auto& piece : pieces) add_piece(placements, piece);
  add_layout(placements, platform);
  add_nsight_tools(placements);
  add_version_json(placements, pieces, cuda);
  check_folders(placements);
  std::vector<Placement> result;
  result.reserve(placements.size());
  for (auto& [path, placement] : placements) result.push_back(std::move(placement));
  return result;
}

std::string relocated_pc(std::string_view text, std::string_view path) {
  std::string up = "${pcfiledir}";
  for (const char c : path) {
    if (c == '/') up += "/..";
  }
  std::string result;
  for (const auto line : text::split(text, '\n')) {
    if (line.data() != text.data()) result += '\n';
    if (line.starts_with("cudaroot=")) {
      result += "cudaroot=" + up;
    } else {
      result += line;
    }
  }
  return result;
}

}  // namespace cudaenv::install
