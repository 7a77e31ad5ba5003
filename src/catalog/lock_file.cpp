#include "catalog/lock_file.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "catalog/strict_json.hpp"
#include "model/platform.hpp"

namespace cudaenv::catalog {
namespace {

using Json = nlohmann::json;

constexpr int schema = 1;

// A place in the file, for reading and for messages.
struct Node {
  const Json& json;
  std::string_view file;
  std::string place;

  [[noreturn]] void refuse(std::string_view why) const { report_damage(file, place, why); }

  Node at(const std::string& key) const {
    if (!json.is_object()) refuse(fmt::format("is {} instead of an object", kind_of(json)));
    const std::string there = place.empty() ? key : fmt::format("{}.{}", place, key);
    const auto found = json.find(key);
    if (found == json.end()) report_damage(file, there, "is missing");
    return {*found, file, there};
  }
  std::string text() const {
    if (!json.is_string()) refuse(fmt::format("is {} instead of a string", kind_of(json)));
    auto value = json.get<std::string>();
    // What is in it is said, too.
    if (text::visible(value, value.size() + 1) != value) refuse("has control characters");
    return value;
  }
  std::uint64_t number() const {
    if (!json.is_number_unsigned()) refuse("is no number");
    return json.get<std::uint64_t>();
  }
  Version version() const {
    if (auto parsed = Version::parse(text())) return *std::move(parsed);
    refuse("is no version");
  }
  template <typename Each>
  void each_member(const Each& each) const {
    if (!json.is_object()) refuse(fmt::format("is {} instead of an object", kind_of(json)));
    for (const auto& [key, value] : json.items()) {
      each(key, Node{value, file, fmt::format("{}.{}", place, text::visible(key, 60))});
    }
  }
};

Lock::Archive archive_at(const Node& node) {
  const auto sha256 = Digest::from_hex(node.at("sha256").text());
  if (!sha256) node.at("sha256").refuse("is no SHA-256");
  return {node.at("component").text(), node.at("version").text(), node.at("url").text(), *sha256,
          node.at("size").number(),    node.at("filter").text()};
}

std::vector<Lock::Archive> archives_at(const Node& node) {
  if (!node.json.is_array()) node.refuse("is no list");
  std::vector<Lock::Archive> archives;
  for (std::size_t i = 0; i < node.json.size(); ++i) {
    archives.push_back(archive_at({node.json[i], node.file, fmt::format("{}[{}]", node.place, i)}));
  }
  return archives;
}

std::string line_of(const Lock::Archive& archive) {
  nlohmann::ordered_json json{
      {"component", archive.component}, {"version", archive.version}, {"url", archive.url},
      {"sha256", archive.sha256.hex()}, {"size", archive.size},       {"filter", archive.filter}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Lock::Asked asked_of(const Project& project) {
  Lock::Asked asked{project.cuda.text(), "", {}, project.framework};
  if (project.profile) asked.profile = name_of(*project.profile);
  for (const auto& [name, version] : project.libraries) {
    asked.libraries[name] = version ? version->text() : "latest";
  }
  return asked;
}

std::string write_lock(const Lock& lock) {
  Json asked{{"cuda", lock.asked.cuda},
             {"profile", lock.asked.profile},
             {"libraries", lock.asked.libraries}};
  if (!lock.asked.framework.empty()) asked["for"] = lock.asked.framework;
  std::string text = fmt::format(
      "{{\n  \"schema\": {},\n  \"asked\": {},\n  \"cuda\": \"{}\",\n"
      "  \"profile\": \"{}\",\n  \"platforms\": {{",
      schema, asked.dump(), lock.cuda.text(), name_of(lock.profile));
  const char* separator = "\n";
  for (const auto& [platform, archives] : lock.platforms) {
    std::vector<std::string> lines;
    for (const auto& archive : archives) lines.push_back("      " + line_of(archive));
    text +=
        fmt::format("{}    \"{}\": [\n{}\n    ]", separator, platform, text::join(lines, ",\n"));
    separator = ",\n";
  }
  return text + "\n  }\n}\n";
}

Lock read_lock(std::string_view text, std::string_view file) {
  const Json json = parse_strict_json(text, file, "a lock file");
  const Node root{json, file, ""};
  if (root.at("schema").number() != schema) {
    root.at("schema").refuse("is that of another cudaenv");
  }
  const Node asked = root.at("asked");
  const auto profile = parse_profile(root.at("profile").text());
  if (!profile) root.at("profile").refuse("is no profile");
  Lock lock{{asked.at("cuda").text(), asked.at("profile").text(), {}, ""},
            root.at("cuda").version(),
            *profile,
            {}};
  asked.at("libraries").each_member([&](const std::string& name, const Node& version) {
    lock.asked.libraries[name] = version.text();
  });
  if (asked.json.contains("for")) lock.asked.framework = asked.at("for").text();
  root.at("platforms").each_member([&](const std::string& name, const Node& archives) {
    // Others are those of a later cudaenv.
    if (Platform::parse(name)) lock.platforms[name] = archives_at(archives);
  });
  return lock;
}

}  // namespace cudaenv::catalog
