#include "cli/help.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv::cli {
namespace {

// A name on the left and what it is on the right.
using Rows = std::vector<std::pair<std::string, std::string>>;

// What follows the arguments and is taken before they are parsed (run.cpp).
std::string_view command_of(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> known{
      {{"exec", " [--] CMD..."}, {"diagnose", " [-- CMD...]"}, {"explain", " [-- CMD...]"}}};
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == known.end() ? std::string_view() : found->second;
}

bool is_list(const CLI::Option& option) {
  return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

// The parser's own names of types say nothing; then the value is called as its option is.
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  std::string name = type.substr(0, type.find(':'));
  if (name.empty() || name == "TEXT" || name == "UINT" || name == "INT" || name == "FLOAT") {
    name = option.get_lnames().empty() ? "VALUE" : option.get_lnames().front();
    std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
      if (letter >= 'a' && letter <= 'z') return static_cast<char>(letter - 'a' + 'A');
      return letter == '-' ? '_' : letter;
    });
  }
  return is_list(option) && option.get_allow_extra_args() ? name + "..." : name;
}

// "-p, --profile PROFILE"; names without a short one begin where the long ones do.
std::string option_name(const CLI::Option& option) {
  std::string name = option.get_snames().empty() ? "    " : "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) {
    name += (option.get_snames().empty() ? "--" : ", --") + option.get_lnames().front();
  }
  return option.get_expected_max() == 0 ? name : name + " " + value_name(option);  // 0: a flag
}

std::string description_of(const CLI::Option& option) {
  std::vector<std::string> others;
  for (const auto* other : option.get_excludes()) others.push_back(other->get_name());
  if (others.empty()) return option.get_description();
  std::sort(others.begin(), others.end());
  return fmt::format("{} (not with {})", option.get_description(), text::join(others, ", "));
}

std::string wrapped(std::string_view words, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t column = indent;
  for (const auto word : text::split(words, ' ')) {
    if (column > indent && column + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

// How wide the column of names is: as the longest, while there is place for what they are.
std::size_t longest_of(const Rows& rows) {
  constexpr std::size_t most = 28;
  std::size_t longest = 0;
  for (const auto& [name, what] : rows) {
    if (name.size() <= most) longest = std::max(longest, name.size());
  }
  return longest;
}

std::string listed(std::string_view heading, const Rows& rows, std::size_t longest,
                   std::size_t width) {
  if (rows.empty()) return "";
  const std::size_t indent = longest + 4;
  std::string lines = fmt::format("\n{}:\n", heading);
  for (const auto& [name, what] : rows) {
    lines += name.size() <= longest ? fmt::format("  {:{}}  ", name, longest)
                                    : fmt::format("  {}\n{}", name, std::string(indent, ' '));
    lines += wrapped(what, indent, width) + "\n";
  }
  return lines;
}

std::string usage(const CLI::App& app, const std::string& called) {
  std::string line = fmt::format("Usage: {} [OPTIONS]", called);
  for (const auto* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const auto name = option->get_name(true, false) + (is_list(*option) ? "..." : "");
    line += option->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  if (app.get_require_subcommand_min() > 0) line += " COMMAND";
  return line + std::string(command_of(app.get_name())) + "\n";
}

std::string help_of(const CLI::App* app, const std::string& called, std::size_t width) {
  Rows arguments;
  Rows options;
  for (const auto* option : app->get_options()) {
    if (option->get_group().empty()) continue;
    if (option->get_positional()) {
      arguments.emplace_back(option->get_name(true, false), description_of(*option));
    } else {
      options.emplace_back(option_name(*option), description_of(*option));
    }
  }
  std::string help = app->get_description() + "\n\n" + usage(*app, called);
  help += listed("Arguments", arguments, longest_of(arguments), width) +
          listed("Options", options, longest_of(options), width);

  Rows shown;
  std::vector<std::string> groups;
  for (const auto* command : app->get_subcommands({})) {
    const auto& group = command->get_group();
    if (group.empty()) continue;
    shown.emplace_back(command->get_name(), "");
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  for (const auto& group : groups) {
    Rows commands;
    for (const auto* command : app->get_subcommands({})) {
      if (command->get_group() != group) continue;
      commands.emplace_back(command->get_name(), command->get_description());
    }
    help += listed(group, commands, longest_of(shown), width);
  }
  return app->get_footer().empty() ? help : help + "\n" + app->get_footer() + "\n";
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter(std::function<unsigned()> width) {
  return std::make_shared<CLI::FormatterLambda>(
      [width = std::move(width)](const CLI::App* app, const std::string& called,
                                 CLI::AppFormatMode /*mode*/) {
        return help_of(app, called, width());
      });
}

}  // namespace cudaenv::cli
