#include "catalog/manifest.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "catalog/rules.hpp"
#include "catalog/strict_json.hpp"

namespace cudaenv::catalog {
namespace {

using nlohmann::json;

constexpr std::string_view manifest_prefix = "redistrib_";
constexpr std::string_view manifest_suffix = ".json";
constexpr std::size_t longest_licence = 120;

// Reads values of one manifest; every refusal names the place.
class ManifestReader {
 public:
  explicit ManifestReader(std::string_view where) : where_(where) {}

  void read_top(const json& root, Release& release) const;

 private:
  std::optional<Component> component(const std::string& name, const json& value) const;
  PlatformArchives archives(const json& value, const std::string& place) const;
  Archive archive(const json& value, const std::string& place) const;
  std::uint64_t size(const json& value, const std::string& place) const;

  // The string at `key`; nothing where the key is missing.
  std::optional<std::string> optional_text(const json& object, const char* key,
                                           const std::string& place) const;
  std::string required_text(const json& object, const char* key, const std::string& place) const;

  [[noreturn]] void refuse(const std::string& place, std::string_view why) const {
    report_damage(where_, place, why);
  }

  std::string_view where_;
};

std::string inside(const std::string& place, const std::string& key) {
  const std::string shown = text::visible(key, 60);
  return place.empty() ? shown : place + "." + shown;
}

// Whether an object has what only an archive has. The values are judged later.
bool describes_archive(const json& object) {
  return object.contains("relative_path") || object.contains("sha256") || object.contains("size");
}

bool has_known_platform(const json& object) {
  return std::any_of(object.items().begin(), object.items().end(),
                     [](const auto& item) { return Platform::parse(item.key()).has_value(); });
}

void ManifestReader::read_top(const json& root, Release& release) const {
  if (!root.is_object()) refuse("", fmt::format("it holds {}, not an object", kind_of(root)));
  if (const auto date = optional_text(root, "release_date", ""); date && is_date(*date)) {
    release.date = *date;
  }
  // A mirror may hand out one release's manifest under another's name.
  if (const auto label = optional_text(root, "release_label", "")) {
    const auto labelled = Version::parse(*label);
    if (labelled && *labelled != release.version) {
      refuse("release_label",
             fmt::format("is {}, but {} was asked for", labelled->text(), release.version.text()));
    }
  }
  for (const auto& [name, value] : root.items()) {
    if (!value.is_object()) continue;  // release_product and whatever else NVIDIA adds
    if (auto read = component(name, value)) release.components.push_back(std::move(*read));
  }
  if (release.components.empty()) refuse("", "it describes no component");
  std::sort(release.components.begin(), release.components.end(),
            [](const Component& one, const Component& other) { return one.name < other.name; });
}

std::optional<Component> ManifestReader::component(const std::string& name,
                                                   const json& value) const {
  const std::string place = inside("", name);
  // Some later kind of metadata, not a component.
  if (!value.contains("version") && !has_known_platform(value)) return std::nullopt;
  if (!is_plain_name(name)) refuse(place, "is not a component's name");

  const std::string written = required_text(value, "version", place);
  const auto version = Version::parse(written);
  if (!version) {
    refuse(inside(place, "version"), fmt::format("is `{}`", text::visible(written, 60)));
  }
  const std::string licence = optional_text(value, "license", place).value_or("");
  Component read{name, *version, text::visible(text::trimmed(licence), longest_licence), {}};
  for (const auto& [key, entry] : value.items()) {
    const auto platform = Platform::parse(key);
    if (!platform) continue;  // name, license_path, cuda_variant, a platform of the future
    const std::string at = inside(place, key);
    if (!entry.is_object()) refuse(at, fmt::format("is {}, not an object", kind_of(entry)));
    read.platforms.emplace(*platform, archives(entry, at));
  }
  return read;
}

PlatformArchives ManifestReader::archives(const json& value, const std::string& place) const {
  PlatformArchives read;
  // One object can hold an archive of its own and variants beside it (cuDNN 9.27.0).
  if (describes_archive(value)) read.plain = archive(value, place);
  for (const auto& [key, entry] : value.items()) {
    if (!entry.is_object()) continue;
    const std::string at = inside(place, key);
    if (!is_plain_name(key)) refuse(at, "is not a variant's name");
    read.variants.emplace(key, archive(entry, at));
  }
  if (!read.plain && read.variants.empty()) refuse(place, "holds no archive");
  return read;
}

Archive ManifestReader::archive(const json& value, const std::string& place) const {
  std::string path = required_text(value, "relative_path", place);
  if (!is_safe_path(path)) {
    refuse(inside(place, "relative_path"),
           fmt::format("is `{}`, which is not a plain relative path", text::visible(path, 100)));
  }
  const std::string hex = required_text(value, "sha256", place);
  const auto digest = Digest::from_hex(hex);
  if (!digest) {
    refuse(inside(place, "sha256"),
           fmt::format("is `{}`, not 64 hexadecimal digits", text::visible(hex, 70)));
  }
  if (!value.contains("size")) refuse(inside(place, "size"), "is missing");
  return {std::move(path), *digest, size(value["size"], inside(place, "size"))};
}

std::uint64_t ManifestReader::size(const json& value, const std::string& place) const {
  // NVIDIA writes digits in a string; a number means the same.
  std::string digits;
  if (value.is_string()) {
    digits = value.get<std::string>();
  } else if (value.is_number_unsigned()) {
    digits = std::to_string(value.get<std::uint64_t>());
  } else {
    refuse(place, fmt::format("is {}, not a count of bytes", kind_of(value)));
  }
  const auto bytes = parse_size(digits);
  if (!bytes) {
    refuse(place,
           fmt::format("is `{}`, not a plausible count of bytes", text::visible(digits, 40)));
  }
  return *bytes;
}

std::optional<std::string> ManifestReader::optional_text(const json& object, const char* key,
                                                         const std::string& place) const {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (!found->is_string()) {
    refuse(inside(place, key), fmt::format("is {}, not a string", kind_of(*found)));
  }
  return found->get<std::string>();
}

std::string ManifestReader::required_text(const json& object, const char* key,
                                          const std::string& place) const {
  auto text = optional_text(object, key, place);
  if (!text) refuse(inside(place, key), "is missing");
  return std::move(*text);
}

// Our mirrors' index.json.
std::set<Version> listed_in_json(std::string_view body, std::string_view product,
                                 std::string_view where) {
  const json root = parse_strict_json(body, where, "a list of releases");
  const auto releases = root.find("releases");
  if (releases == root.end() || !releases->is_object()) {
    report_damage(where, "releases", "is missing or not an object");
  }
  std::set<Version> found;
  const auto row = releases->find(std::string(product));
  if (row == releases->end()) return found;
  const std::string place = fmt::format("releases.{}", text::visible(product, 60));
  if (!row->is_array()) report_damage(where, place, "is not a list");
  for (const auto& entry : *row) {
    const auto version =
        entry.is_string() ? Version::parse(entry.get_ref<const std::string&>()) : std::nullopt;
    if (!version) report_damage(where, place, "holds something that is not a version");
    found.insert(*version);
  }
  return found;
}

bool ends_a_name(char c) {
  return c == '"' || c == '\'' || c == '<' || c == '>' || c == '?' || c == '#' || c == '&' ||
         c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Every name of a manifest in a page, whichever server made it. A link's text may be cut
// short ("redistrib_12.1.1.js..>"); its target is not.
std::set<Version> listed_in_page(std::string_view body) {
  std::set<Version> found;
  for (std::size_t at = body.find(manifest_prefix); at != std::string_view::npos;
       at = body.find(manifest_prefix, at + 1)) {
    std::size_t end = at;
    while (end < body.size() && !ends_a_name(body[end])) ++end;
    const bool begins_a_name =
        at == 0 || body[at - 1] == '/' || body[at - 1] == '=' || ends_a_name(body[at - 1]);
    if (!begins_a_name) continue;
    if (const auto version = manifest_version(body.substr(at, end - at))) found.insert(*version);
  }
  return found;
}

}  // namespace

Release parse_manifest(std::string_view json_text, std::string_view product, const Version& version,
                       std::string_view where) {
  const json root = parse_strict_json(json_text, where, "a manifest");
  Release release{std::string(product), version, {}, {}};
  ManifestReader(where).read_top(root, release);
  return release;
}

std::optional<Version> manifest_version(std::string_view file_name) {
  if (!file_name.starts_with(manifest_prefix) || !file_name.ends_with(manifest_suffix) ||
      file_name.size() < manifest_prefix.size() + manifest_suffix.size()) {
    return std::nullopt;
  }
  file_name.remove_prefix(manifest_prefix.size());
  file_name.remove_suffix(manifest_suffix.size());
  return Version::parse(file_name);
}

std::vector<Version> parse_listing(std::string_view body, std::string_view product,
                                   std::string_view where) {
  const bool is_json = text::trimmed(body).starts_with('{');
  const auto found = is_json ? listed_in_json(body, product, where) : listed_in_page(body);
  if (found.empty() && !is_json) {
    throw Error(ErrorKind::corrupt, fmt::format("{} lists no manifests", text::visible(where, 300)))
        .because(fmt::format("it has {}{}", text::bytes(body.size()),
                             looks_like_html(body) ? " of HTML without a link to one" : ""));
  }
  return {found.begin(), found.end()};
}

}  // namespace cudaenv::catalog
