#include "activate/formats.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "activate/unfit.hpp"
#include "base/text.hpp"

namespace cudaenv::activate {
namespace {

std::string json_lists(const std::vector<Entry>& entries) {
  std::map<std::string, std::vector<std::string>> lists;
  for (const auto& [list, value] : entries) lists[list].push_back(json_string(list, value));
  std::vector<std::string> members;
  for (const auto& [list, values] : lists) {
    members.push_back(fmt::format("\"{}\": [{}]", list, text::join(values, ", ")));
  }
  return fmt::format("{{{}}}", text::join(members, ", "));
}

// A line that the value does not have.
std::string delimiter_for(std::string_view value) {
  std::string delimiter = "end_of_value";
  while (value.find(delimiter) != std::string_view::npos) delimiter += '_';
  return delimiter;
}

// As most readers of such files agree: as it is where no character has a meaning to any, else in
// single quotes, and with what those cannot hold in double ones.
std::string dotenv_value(std::string_view value) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+,@%-";
  if (value.find_first_not_of(plain) == std::string_view::npos) return std::string(value);
  if (value.find_first_of("'\\\n\r") == std::string_view::npos) return fmt::format("'{}'", value);
  std::string result = "\"";
  for (const char c : value) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else {
      if (std::string_view("\"\\$`").find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result + "\"";
}

// Inside the double quotes of an ENV instruction.
std::string docker_escaped(std::string_view name, std::string_view value) {
  // A line ends an instruction, whatever quotes are open.
  if (value.find_first_of("\r\n") != std::string_view::npos) {
    throw unfit("a Dockerfile", name, fmt::format("`{}` has a newline", text::visible(value)));
  }
  check_text("a Dockerfile", name, value);
  std::string result;
  for (const char c : value) {
    if (std::string_view("\"\\$").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string json_string(std::string_view name, std::string_view value) {
  check_text("JSON", name, value);
  std::string result = "\"";
  for (const char c : value) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (code < 0x20 || code == 0x7F) {
      result += fmt::format("\\u{:04x}", code);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string json(const Change& change) {
  std::vector<std::string> set;
  std::vector<std::string> unset;
  for (const auto& [name, value] : change.variables) {
    if (value) {
      set.push_back(fmt::format("\"{}\": {}", name, json_string(name, *value)));
    } else {
      unset.push_back(fmt::format("\"{}\"", name));
    }
  }
  return fmt::format(R"({{"set": {{{}}}, "unset": [{}], "added": {}, "removed": {}}})"
                     "\n",
                     text::join(set, ", "), text::join(unset, ", "), json_lists(change.added),
                     json_lists(change.removed));
}

GitHubFiles github(const Change& change) {
  GitHubFiles files;
  for (const auto& [name, changed] : change.variables) {
    if (name == "PATH") continue;
    const std::string value = changed.value_or("");
    check_text("GITHUB_ENV", name, value);
    files.env += fmt::format("{0}<<{1}\n{2}\n{1}\n", name, delimiter_for(value), value);
  }
  // What comes later in that file is searched first.
  for (auto entry = change.added.rbegin(); entry != change.added.rend(); ++entry) {
    if (entry->list != "PATH") continue;
    check_text("GITHUB_PATH", "PATH", entry->value);
    if (entry->value.find_first_of("\r\n") != std::string::npos) {
      throw unfit("GITHUB_PATH", "PATH",
                  fmt::format("`{}` has a newline", text::visible(entry->value)));
    }
    files.path += entry->value + "\n";
  }
  return files;
}

std::string dotenv(const Change& change) {
  std::string result;
  for (const auto& [name, value] : change.variables) {
    if (value && !is_record(name)) result += fmt::format("{}={}\n", name, dotenv_value(*value));
  }
  return result;
}

std::string docker(const Change& change) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : change.variables) {
    if (!value || is_record(name)) continue;
    std::vector<std::string> ours;
    for (const auto& [list, entry] : change.added) {
      if (list == name) ours.push_back(docker_escaped(name, entry));
    }
    settings.push_back(
        ours.empty() ? fmt::format("{}=\"{}\"", name, docker_escaped(name, *value))
                     : fmt::format("{0}=\"{1}${{{0}:+:${{{0}}}}}\"", name, text::join(ours, ":")));
  }
  if (settings.empty()) return "";
  return fmt::format("ENV {}\n", text::join(settings, " \\\n    "));
}

}  // namespace cudaenv::activate
