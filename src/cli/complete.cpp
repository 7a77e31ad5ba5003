#include "cli/complete.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "activate/render.hpp"
#include "base/error.hpp"
#include "catalog/components.hpp"
#include "catalog/index.hpp"
#include "commands/compat_tables.hpp"
#include "commands/locate.hpp"
#include "compat/framework.hpp"
#include "store/inventory.hpp"
#include "sys/file.hpp"

namespace cudaenv::cli {
namespace {

using Candidates = std::vector<Candidate>;

Candidates named(std::initializer_list<const char*> values) {
  Candidates result;
  for (const char* value : values) result.push_back({value, ""});
  return result;
}

Candidates installed(const commands::Host& host) {
  Candidates result;
  const auto inventory =
      store::Inventory::read(commands::reading_roots(host), store::Inventory::Detail::summary);
  for (const auto& prefix : inventory.prefixes) {
    result.push_back({store::short_name(prefix.receipt), prefix.path.string()});
  }
  return result;
}

Candidates known(const commands::Host& /*host*/) {
  Candidates result{{"latest", "the newest release"}, {"auto", "what the driver runs"}};
  const auto versions = catalog::versions("cuda");
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    result.push_back({version->text(), "CUDA"});
  }
  for (const auto& library : catalog::all_add_ons()) {
    result.push_back({library.name, library.summary});
  }
  return result;
}

Candidates libraries(const commands::Host& /*host*/) {
  Candidates result;
  for (const auto& library : catalog::all_add_ons()) {
    result.push_back({library.name, library.summary});
  }
  return result;
}

Candidates components(const commands::Host& /*host*/) {
  Candidates result;
  for (const auto& component : catalog::all_components()) {
    result.push_back({component.name, component.summary});
  }
  return result;
}

Candidates tools(const commands::Host& host) {
  Candidates result;
  const auto folder = commands::prefix("", host) / "bin";
  for (const auto& name : sys::list(folder)) result.push_back({name, folder.string()});
  return result;
}

Candidates profiles(const commands::Host& /*host*/) {
  return named({"minimal", "runtime", "dev", "full"});
}
Candidates platforms(const commands::Host& /*host*/) {
  return named({"linux-x86_64", "linux-sbsa", "linux-aarch64", "linux-ppc64le"});
}
Candidates sources(const commands::Host& /*host*/) { return named({"auto", "nvidia", "wheels"}); }
Candidates shells(const commands::Host& /*host*/) {
  return named({"bash", "zsh", "fish", "tcsh", "elvish", "nushell", "powershell", "sh"});
}
Candidates formats(const commands::Host& /*host*/) {
  return named({"json", "gha", "dotenv", "docker"});
}
Candidates views(const commands::Host& /*host*/) {
  return named({"cuda", "driver", "gpu", "board", "framework", "all"});
}
Candidates products(const commands::Host& /*host*/) {
  Candidates result;
  for (const auto& product : catalog::products()) result.push_back({product, ""});
  return result;
}

Candidates frameworks(const commands::Host& host) {
  Candidates result;
  for (auto& name : compat::framework_names(commands::known_frameworks(host).tables)) {
    result.push_back({std::move(name), ""});
  }
  return result;
}
// A toolkit that an add-on is for, or a framework that a toolkit is for.
Candidates installed_and_frameworks(const commands::Host& host) {
  auto result = installed(host);
  for (auto& framework : frameworks(host)) result.push_back(std::move(framework));
  return result;
}

// What an argument takes, by its name.
struct Kind {
  std::string_view command;  // empty: of any
  std::string_view argument;
  Candidates (*values)(const commands::Host& host);
};
constexpr std::array<Kind, 18> kinds{{
    {"install", "SPEC", known},
    {"local", "SPEC", known},
    {"", "SPEC", installed},
    {"install", "--for", installed_and_frameworks},
    {"", "--for", frameworks},
    {"", "FRAMEWORK", frameworks},
    {"", "--from", installed},
    {"", "--profile", profiles},
    {"", "--component", components},
    {"", "--without", components},
    {"", "--with", libraries},
    {"", "--platform", platforms},
    {"", "--source", sources},
    {"", "--shell", shells},
    {"", "--format", formats},
    {"", "SHELL", shells},
    {"compat", "--by", views},
    {"", "PRODUCT", products},
}};

Candidates values_of(const std::string& command, const CLI::Option& option,
                     const commands::Host& host) {
  const auto& names = option.get_lnames();
  const std::string name = names.empty() ? option.get_name(true) : "--" + names.front();
  if (name == "TOOL") return tools(host);
  for (const auto& kind : kinds) {
    if ((kind.command.empty() || kind.command == command) && kind.argument == name) {
      return kind.values(host);
    }
  }
  return {};
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// One line, up to the first full stop.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Candidates options_of(const CLI::App& app) {
  Candidates result;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) {
      result.push_back({"--" + name, first_line(option->get_description())});
    }
  }
  return result;
}

Candidates beginning_with(Candidates all, const std::string& start) {
  std::erase_if(all,
                [&](const Candidate& candidate) { return !candidate.value.starts_with(start); });
  return all;
}

// Of a list with commas the last element is completed, and of `--option=value` the value.
Candidates behind(const std::string& before, Candidates values) {
  for (auto& candidate : values) candidate.value.insert(0, before);
  return values;
}

const CLI::Option* option_named(const CLI::App& app, const std::string& word) {
  for (const auto* option : app.get_options()) {
    if (word.starts_with('-') && option->check_name(word)) return option;
  }
  return nullptr;
}

// bash cuts at `=`.
std::vector<std::string> with_equals_joined(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_value = words[i] == "=" && i > 0 && words[i - 1].starts_with("--");
    if (!is_value) {
      result.push_back(words[i]);
    } else if (i + 1 == words.size()) {
      result.emplace_back();
    }
  }
  return result;
}

Candidates arguments_of(const Command& command, const std::vector<std::string>& words,
                        Session& session) {
  CLI::App app;
  command.declare(app, session);
  const std::string& current = words.back();
  const CLI::Option* taking = nullptr;
  std::vector<const CLI::Option*> places;
  for (const auto* option : app.get_options()) {
    if (option->get_positional()) places.push_back(option);
  }
  std::size_t place = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (taking) {
      taking = nullptr;
    } else if (const auto* option = option_named(app, words[i])) {
      if (takes_value(*option)) taking = option;
    } else if (!words[i].starts_with('-')) {
      ++place;
    }
  }
  const std::string name(command.name);
  const auto values = [&](const CLI::Option& option, const std::string& typed) {
    const auto comma = typed.find_last_of(',');
    const std::string before = comma == std::string::npos ? "" : typed.substr(0, comma + 1);
    return beginning_with(behind(before, values_of(name, option, session.host)), typed);
  };
  if (taking) return values(*taking, current);
  if (current.starts_with('-')) {
    const auto equals = current.find('=');
    const auto* option = option_named(app, current.substr(0, equals));
    if (equals == std::string::npos || !option) return beginning_with(options_of(app), current);
    return behind(current.substr(0, equals + 1), values(*option, current.substr(equals + 1)));
  }
  if (places.empty()) return {};
  // What comes behind `exec SPEC` is any command.
  if (name == "exec" && place > 0) return {};
  return values(*places[std::min(place, places.size() - 1)], current);
}

}  // namespace

std::vector<Candidate> candidates(const std::vector<std::string>& typed,
                                  const std::vector<Command>& commands, Session& session) {
  if (typed.empty()) return {};
  const auto words = with_equals_joined(typed);
  const auto word = std::find_if(words.begin(), words.end() - 1,
                                 [](const std::string& text) { return !text.starts_with('-'); });
  if (word == words.end() - 1) {
    Candidates all;
    for (const auto& command : commands) {
      if (command.group.empty()) continue;
      all.push_back({std::string(command.name), std::string(command.summary)});
    }
    if (words.back().starts_with('-')) {
      all = {{"--help", "Show the help"},
             {"--version", "Print the version"},
             {"--quiet", ""},
             {"--no-progress", ""}};
    }
    return beginning_with(std::move(all), words.back());
  }
  for (const auto& command : commands) {
    if (command.name != *word) continue;
    try {
      return arguments_of(command, {word + 1, words.end()}, session);
    } catch (const Error&) {
      return {};  // nothing is said in the middle of typing
    }
  }
  return {};
}

}  // namespace cudaenv::cli
