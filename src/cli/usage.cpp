#include "cli/usage.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/url.hpp"

namespace cudaenv::cli {
namespace {

bool is_option(const std::string& word) {
  return word.size() > 1 && word.starts_with('-') && word != "--";
}

// Before it is cut: the end of a login is what tells it from a host.
std::string shown(const std::string& word) { return text::visible(without_secrets(word), 60); }

Error unknown_command(const std::string& word, const std::vector<Command>& commands) {
  Error error(ErrorKind::usage, fmt::format("there is no command `{}`", shown(word)));
  std::vector<std::string> names;
  for (const auto& command : commands) names.emplace_back(command.name);
  if (const auto close = suggest(word, names)) {
    error = std::move(error).help(fmt::format("did you mean `cudaenv {}`?", *close));
  }
  return std::move(error).help("see all with `cudaenv --help`");
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// What was left over. An option explains words that have lost their place, so it comes first.
Error unexpected(const CLI::App& app, const CLI::App* chosen) {
  const auto words = app.remaining(true);
  auto word = std::find_if(words.begin(), words.end(), is_option);
  if (word == words.end()) word = words.begin();
  if (word == words.end() || !is_option(*word)) {
    const std::string extra = word == words.end() ? "" : shown(*word);
    return {ErrorKind::usage, fmt::format("`{}` is one argument too many", extra)};
  }
  const std::string name = word->substr(0, word->find('='));
  Error error(ErrorKind::usage, fmt::format("there is no option `{}`", shown(name)));
  auto names = option_names(app);
  if (chosen != nullptr) {
    const auto own = option_names(*chosen);
    names.insert(names.begin(), own.begin(), own.end());
  }
  if (const auto close = suggest(name, names)) {
    error = std::move(error).help(fmt::format("did you mean `{}`?", *close));
  }
  return error;
}

// "The value is ..." as a message of ours; "SPEC is required" begins with a name.
std::string decapitalised(std::string text) {
  const auto is = [&](std::size_t i, char low, char high) {
    return i < text.size() && text[i] >= low && text[i] <= high;
  };
  if (is(0, 'A', 'Z') && !is(1, 'A', 'Z')) text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

// "--mirror: 1 required URL missing" in the parser's words.
std::string in_our_words(const std::string& refusal) {
  const auto at = refusal.find(": 1 required ");
  if (at == std::string::npos || !refusal.ends_with(" missing")) return decapitalised(refusal);
  return fmt::format("`{}` needs a value", refusal.substr(0, at));
}

}  // namespace

Error usage_error(const CLI::Error& refusal, const CLI::App& app,
                  const std::vector<std::string>& arguments, const std::vector<Command>& commands) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    const auto word = std::find_if(arguments.begin(), arguments.end(),
                                   [](const std::string& text) { return !is_option(text); });
    if (word != arguments.end()) return unknown_command(*word, commands);
    if (app.remaining_size() > 0) {
      return unexpected(app, nullptr).help("see `cudaenv --help`");
    }
    return Error(ErrorKind::usage, "no command was named").help("see `cudaenv --help`");
  }
  const std::string advice = fmt::format("see `cudaenv {} --help`", chosen.front()->get_name());
  if (app.remaining_size(true) > 0) return unexpected(app, chosen.front()).help(advice);
  const auto what = text::visible(without_secrets(text::trimmed(refusal.what())), 400);
  return Error(ErrorKind::usage, in_our_words(what)).help(advice);
}

}  // namespace cudaenv::cli
