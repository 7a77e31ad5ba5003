#include "catalog/component_table.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "catalog/rules.hpp"
#include "catalog/strict_json.hpp"
#include "embedded/manifests.hpp"

namespace cudaenv::catalog {
namespace {

using nlohmann::json;

constexpr std::string_view table_file = "components.json";

// Reads rows of the table; a misspelt key is refused, or it would silently mean nothing.
class TableReader {
 public:
  explicit TableReader(std::string_view where) : where_(where) {}

  ComponentTable read(const json& root) const;

 private:
  void read_component(const json& row, const std::string& place, ComponentTable& table) const;
  AddOn read_add_on(const json& row, const std::string& place) const;
  void read_profiles(const json& row, const std::string& place, ComponentRules& rules) const;
  void read_platforms(const json& row, const std::string& place, ComponentRules& rules) const;
  void read_former(const json& row, const std::string& place, ComponentRules& rules) const;
  void check_names(const ComponentTable& table) const;

  Span span(const json& object, const std::string& place) const;
  std::optional<Version> version(const json& object, const char* key,
                                 const std::string& place) const;
  std::string text(const json& object, const char* key, const std::string& place) const;
  std::string name(const json& object, const char* key, const std::string& place) const;
  bool flag(const json& object, const char* key, const std::string& place) const;
  const json& list(const json& object, const char* key, const std::string& place) const;
  void only(const json& object, const std::set<std::string>& known, const std::string& place) const;

  [[noreturn]] void refuse(const std::string& place, std::string_view why) const {
    report_damage(where_, place, why);
  }

  std::string_view where_;
};

ComponentTable TableReader::read(const json& root) const {
  only(root, {"schema", "components", "add_ons"}, "the table");
  if (root.value("schema", json()) != 1) refuse("schema", "is not 1");

  ComponentTable table;
  for (const auto& row : list(root, "components", "")) {
    read_component(row, fmt::format("components[{}]", table.components.size()), table);
  }
  check_names(table);
  for (const auto& row : list(root, "add_ons", "")) {
    table.add_ons.push_back(read_add_on(row, fmt::format("add_ons[{}]", table.add_ons.size())));
  }
  return table;
}

void TableReader::read_component(const json& row, const std::string& at,
                                 ComponentTable& table) const {
  only(row,
       {"name", "summary", "profiles", "since", "until", "platforms", "driver_side", "windows_only",
        "former_names", "wheel", "wheel_extra", "aliases"},
       at);
  ComponentInfo info;
  info.name = name(row, "name", at);
  const std::string& place = info.name;
  info.summary = text(row, "summary", place);
  if (info.summary.empty()) refuse(place + ".summary", "is missing");
  info.driver_side = flag(row, "driver_side", place);
  info.windows_only = flag(row, "windows_only", place);
  info.wheel = text(row, "wheel", place);
  info.wheel_extra = text(row, "wheel_extra", place);

  ComponentRules rules;
  rules.span = span(row, place);
  read_profiles(row, place, rules);
  read_platforms(row, place, rules);
  read_former(row, place, rules);
  for (const auto& [former, before] : rules.former) info.former_names.push_back(former);
  for (const auto& alias : list(row, "aliases", place)) {
    if (!alias.is_string()) refuse(place + ".aliases", "holds something that is not a string");
    rules.aliases.push_back(alias.get<std::string>());
  }
  if (info.driver_side || info.windows_only) {
    if (row.contains("profiles")) refuse(place + ".profiles", "is for parts of a toolkit only");
  } else {
    auto& full = rules.roles[static_cast<std::size_t>(Profile::full)];
    full = std::max({full, rules.roles[static_cast<std::size_t>(Profile::dev)], Role::extra});
  }
  table.components.push_back(std::move(info));
  table.rules.push_back(std::move(rules));
}

AddOn TableReader::read_add_on(const json& row, const std::string& at) const {
  only(row, {"name", "product", "component", "wheel", "summary", "base"}, at);
  AddOn read;
  read.name = name(row, "name", at);
  read.product = name(row, "product", read.name);
  read.component = name(row, "component", read.name);
  read.wheel = text(row, "wheel", read.name);
  read.summary = text(row, "summary", read.name);
  read.base = text(row, "base", read.name);
  return read;
}

void TableReader::read_profiles(const json& row, const std::string& place,
                                ComponentRules& rules) const {
  const auto profiles = row.find("profiles");
  if (profiles == row.end()) return;
  only(*profiles, {"minimal", "runtime", "dev"}, place + ".profiles");
  for (const auto& [key, value] : profiles->items()) {
    const auto profile = static_cast<std::size_t>(parse_profile(key).value());
    if (value == "essential") {
      rules.roles[profile] = Role::essential;
    } else if (value == "extra") {
      rules.roles[profile] = Role::extra;
    } else {
      refuse(place + ".profiles." + key, "is neither `essential` nor `extra`");
    }
  }
  auto& dev = rules.roles[static_cast<std::size_t>(Profile::dev)];
  dev = std::max(dev, rules.roles[static_cast<std::size_t>(Profile::minimal)]);
}

void TableReader::read_platforms(const json& row, const std::string& place,
                                 ComponentRules& rules) const {
  const auto platforms = row.find("platforms");
  if (platforms == row.end()) return;
  if (!platforms->is_object()) refuse(place + ".platforms", "is not an object");
  for (const auto& [key, value] : platforms->items()) {
    const auto platform = Platform::parse(key);
    const std::string at = place + ".platforms." + key;
    if (!platform) refuse(at, "is not a platform");
    only(value, {"since", "until"}, at);
    rules.platforms.emplace(*platform, span(value, at));
  }
}

void TableReader::read_former(const json& row, const std::string& place,
                              ComponentRules& rules) const {
  const std::string at = place + ".former_names";
  for (const auto& entry : list(row, "former_names", place)) {
    only(entry, {"name", "before"}, at);
    const auto before = version(entry, "before", at);
    if (!before) refuse(at, "lacks `before`");
    rules.former.emplace(name(entry, "name", at), *before);
  }
}

// Every name means one component, and component_info() searches by halving.
void TableReader::check_names(const ComponentTable& table) const {
  std::set<std::string> taken;
  for (std::size_t i = 0; i < table.components.size(); ++i) {
    const auto& info = table.components[i];
    if (i > 0 && table.components[i - 1].name >= info.name) refuse(info.name, "is out of order");
    std::vector<std::string> names = info.former_names;
    names.push_back(info.name);
    names.insert(names.end(), table.rules[i].aliases.begin(), table.rules[i].aliases.end());
    for (const auto& each : names) {
      if (taken.insert(each).second) continue;
      refuse(info.name, fmt::format("shares the name `{}`", text::visible(each, 60)));
    }
  }
}

Span TableReader::span(const json& object, const std::string& place) const {
  return {version(object, "since", place), version(object, "until", place)};
}

std::optional<Version> TableReader::version(const json& object, const char* key,
                                            const std::string& place) const {
  if (!object.contains(key)) return std::nullopt;
  const auto read = Version::parse(text(object, key, place));
  if (!read) refuse(fmt::format("{}.{}", place, key), "is not a version");
  return read;
}

std::string TableReader::text(const json& object, const char* key, const std::string& place) const {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_string()) {
    refuse(fmt::format("{}.{}", place, key), fmt::format("is {}, not a string", kind_of(*found)));
  }
  return found->get<std::string>();
}

std::string TableReader::name(const json& object, const char* key, const std::string& place) const {
  std::string read = text(object, key, place);
  if (!is_plain_name(read)) refuse(fmt::format("{}.{}", place, key), "is not a plain name");
  return read;
}

bool TableReader::flag(const json& object, const char* key, const std::string& place) const {
  const auto found = object.find(key);
  if (found == object.end()) return false;
  if (!found->is_boolean()) refuse(fmt::format("{}.{}", place, key), "is not true or false");
  return found->get<bool>();
}

const json& TableReader::list(const json& object, const char* key, const std::string& place) const {
  static const json none = json::array();
  const auto found = object.find(key);
  if (found == object.end()) return none;
  if (!found->is_array()) refuse(fmt::format("{}.{}", place, key), "is not a list");
  return *found;
}

void TableReader::only(const json& object, const std::set<std::string>& known,
                       const std::string& place) const {
  if (!object.is_object()) refuse(place, fmt::format("is {}, not an object", kind_of(object)));
  for (const auto& [key, value] : object.items()) {
    if (known.contains(key)) continue;
    refuse(place, fmt::format("has an unknown key `{}`", text::visible(key, 60)));
  }
}

}  // namespace

bool Span::holds(const Version& cuda) const {
  if (since && cuda.first(since->parts().size()) < *since) return false;
  return !until || cuda.first(until->parts().size()) <= *until;
}

std::string ComponentRules::name_in(const Version& cuda, const std::string& newest) const {
  for (const auto& [name, before] : former) {
    if (cuda < before) return name;
  }
  return newest;
}

bool ComponentRules::expected(const Version& cuda, const Platform& platform) const {
  if (!span.holds(cuda)) return false;
  if (platforms.empty()) return true;
  const auto row = platforms.find(platform);
  return row != platforms.end() && row->second.holds(cuda);
}

std::optional<std::size_t> ComponentTable::find(std::string_view name) const {
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto& former = components[i].former_names;
    if (components[i].name == name ||
        std::find(former.begin(), former.end(), name) != former.end()) {
      return i;
    }
  }
  return std::nullopt;
}

ComponentTable read_component_table(std::string_view text, std::string_view where) {
  return TableReader(where).read(parse_strict_json(text, where, "a component table"));
}

const ComponentTable& component_table() {
  static const ComponentTable table = read_component_table(
      embedded::manifests::find(table_file).value(), "the built-in components.json");
  return table;
}

}  // namespace cudaenv::catalog
