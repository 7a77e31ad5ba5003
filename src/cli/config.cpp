#include "cli/config.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "catalog/components.hpp"
#include "catalog/toml_text.hpp"
#include "cli/env_vars.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"

namespace cudaenv::cli {

namespace fs = std::filesystem;

namespace {

using catalog::TomlEntry;
using catalog::unreadable;

constexpr std::uint64_t longest_config = 1u << 20;

struct Place {
  const TomlEntry& entry;
  const std::string& file;
  const fs::path& home;

  Error refused(const std::string& why) const {
    return unreadable(file, entry.line, fmt::format("`{}` {}", entry.key, why));
  }
};

std::string number_in(const Place& place) {
  const auto* number = std::get_if<std::int64_t>(&place.entry.value);
  if (!number || *number < 1) throw place.refused("is not a number from 1 on");
  return std::to_string(*number);
}

std::string flag_in(const Place& place) {
  const auto* flag = std::get_if<bool>(&place.entry.value);
  if (!flag) throw place.refused("is neither true nor false");
  return *flag ? "1" : "0";
}

std::string text_in(const Place& place) {
  const auto* text = std::get_if<std::string>(&place.entry.value);
  if (!text || text->empty() || text->find('\0') != std::string::npos) {
    throw place.refused("is not a text");
  }
  return *text;
}

std::string path_in(const Place& place) {
  const auto text = text_in(place);
  if (text.starts_with("~/")) return (place.home / text.substr(2)).string();
  if (!text.starts_with('/')) {
    throw place.refused(fmt::format("is `{}`, which is not an absolute path", text::visible(text)));
  }
  return text;
}

// A list, or a text alone.
std::string list_in(const Place& place) {
  const auto* list = std::get_if<std::vector<std::string>>(&place.entry.value);
  const auto texts = list ? *list : std::vector<std::string>{text_in(place)};
  for (const auto& text : texts) {
    if (text.empty() || text.find_first_of(std::string_view(",\0", 2)) != std::string::npos) {
      throw place.refused("has an element that is empty or has a comma in it");
    }
  }
  return text::join(texts, ",");
}

std::string profile_in(const Place& place) {
  const auto text = text_in(place);
  if (catalog::parse_profile(text)) return text;
  throw with_suggestion(
      place.refused(fmt::format("is `{}`, which is not a profile", text::visible(text, 60))), text,
      {"minimal", "runtime", "dev", "full"}, "profiles are `minimal`, `runtime`, `dev` and `full`");
}

std::string value_in(const Place& place, SettingKind kind) {
  switch (kind) {
    case SettingKind::number:
      return number_in(place);
    case SettingKind::flag:
      return flag_in(place);
    case SettingKind::path:
      return path_in(place);
    case SettingKind::list:
      return list_in(place);
    case SettingKind::profile:
      return profile_in(place);
    case SettingKind::text:
      break;
  }
  return text_in(place);
}

const EnvVar* variable_of(std::string_view key) {
  const auto found = std::find_if(env_vars.begin(), env_vars.end(), [&](const EnvVar& variable) {
    return !key.empty() && variable.key == key;
  });
  return found == env_vars.end() ? nullptr : &*found;
}

std::string unknown_key(const TomlEntry& entry, const fs::path& file) {
  std::vector<std::string> known;
  for (const auto& variable : env_vars) {
    if (!variable.key.empty()) known.emplace_back(variable.key);
  }
  auto line = fmt::format("`{}` line {}: there is no key `{}`", text::visible(file.string(), 400),
                          entry.line, text::visible(entry.key, 60));
  if (const auto close = suggest(entry.key, known)) {
    line += fmt::format("; did you mean `{}`?", *close);
  }
  return line;
}

}  // namespace

void add_config(Config& config, std::string_view bytes, const fs::path& file,
                const fs::path& home) {
  const auto name = file.string();
  for (const auto& entry : catalog::read_toml(bytes, name)) {
    const auto* variable = variable_of(entry.key);
    if (!variable) {
      config.odd.push_back(unknown_key(entry, file));
      continue;
    }
    config.settings.try_emplace(std::string(variable->name),
                                Config::Setting{value_in({entry, name, home}, variable->kind),
                                                fmt::format("{}:{}", name, entry.line)});
  }
}

Config read_config(const std::vector<fs::path>& files, const sys::Environment& environment) {
  Config config;
  if (environment.is_on("CUDAENV_NO_CONFIG")) return config;
  for (const auto& file : files) {
    if (sys::is_closed(file)) continue;  // another user's
    const auto bytes = sys::read_if_present(file, longest_config);
    if (bytes) add_config(config, *bytes, file, environment.home());
  }
  return config;
}

std::vector<fs::path> config_files(const sys::Environment& environment) {
  return {environment.xdg("XDG_CONFIG_HOME", ".config") / "cudaenv/config.toml",
          "/etc/cudaenv/config.toml"};
}

sys::Environment with_config(const sys::Environment& environment, const Config& config) {
  std::map<std::string, std::string, std::less<>> values;
  for (const auto& [name, setting] : config.settings) values[name] = setting.value;
  return sys::Environment(environment.variables(), std::move(values));
}

}  // namespace cudaenv::cli
