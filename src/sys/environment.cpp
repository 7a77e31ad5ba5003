#include "sys/environment.hpp"

#include <cstdlib>
#include <functional>
#include <pwd.h>
#include <unistd.h>

#include "base/text.hpp"

namespace cudaenv::sys {

Environment Environment::of_process() {
  std::map<std::string, std::string, std::less<>> variables;
  for (char** entry = ::environ; entry && *entry; ++entry) {
    const std::string_view pair = *entry;
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    variables.emplace(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return Environment(std::move(variables));
}

std::optional<std::string> Environment::get(std::string_view name) const {
  for (const auto* values : {&variables_, &defaults_}) {
    const auto found = values->find(name);
    if (found != values->end()) return found->second;
  }
  return std::nullopt;
}

std::optional<std::string> Environment::non_empty(std::string_view name) const {
  auto value = get(name);
  if (value && value->empty()) return std::nullopt;
  return value;
}

bool Environment::is_on(std::string_view name) const {
  const std::string value = text::lower(text::trimmed(get(name).value_or("")));
  return !value.empty() && value != "0" && value != "no" && value != "off" && value != "false";
}

std::filesystem::path Environment::home() const {
  if (const auto home = non_empty("HOME")) return *home;
  const passwd* entry = ::getpwuid(::geteuid());
  return entry && entry->pw_dir ? entry->pw_dir : "/";
}

std::filesystem::path Environment::xdg(std::string_view variable, std::string_view fallback) const {
  const auto value = non_empty(variable);
  // The XDG specification: a relative path is invalid and to be ignored.
  if (value && value->starts_with('/')) return *value;
  return home() / fallback;
}

void set_own_variable(const char* name, const std::string& value) {
  ::setenv(name, value.c_str(), 1);
}

}  // namespace cudaenv::sys
