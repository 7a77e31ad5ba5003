#include "catalog/project.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "catalog/toml_text.hpp"

namespace cudaenv::catalog {
namespace {

constexpr std::string_view own_keys[] = {"cuda", "profile", "for", "ld_path"};

struct Line {
  std::string_view text;  // without comment and blanks around
  std::size_t number;
};

// The lines that say something.
std::vector<Line> telling_lines(std::string_view text) {
  std::vector<Line> result;
  std::size_t number = 0;
  for (const auto line : text::lines(text)) {
    ++number;
    const auto said = text::trimmed(line.substr(0, line.find('#')));
    if (!said.empty()) result.push_back({said, number});
  }
  return result;
}

// `key = value` or `[table]`. A version may have '=' too, as in ">=12.1", but no name before it.
bool is_toml(std::string_view line) {
  if (line.front() == '[') return true;
  constexpr std::string_view key =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.\"' \t";
  const auto end = line.find_first_not_of(key);
  return end != 0 && end != std::string_view::npos && line[end] == '=';
}

// What `step` returns; its refusal of a value gets file and line.
template <typename Step>
auto in_line(std::string_view file, std::size_t line, const Step& step) {
  try {
    return step();
  } catch (const Error& error) {
    Error placed = unreadable(file, line, error.message());
    for (const auto& cause : error.causes()) placed = std::move(placed).because(cause);
    for (const auto& advice : error.advice()) placed = std::move(placed).help(advice);
    throw placed;
  }
}

const std::string& string_in(const TomlEntry& entry, std::string_view bytes,
                             std::string_view file) {
  if (const auto* value = std::get_if<std::string>(&entry.value)) return *value;
  Error error = unreadable(file, entry.line, fmt::format("`{}` is not a text", entry.key));
  const auto spelt = bytes.substr(entry.begin, entry.end - entry.begin);
  if (spelt.find_first_not_of("0123456789.") == std::string_view::npos && !spelt.empty()) {
    // TOML has 12.10 and 12.1 for the same number.
    error = std::move(error).help(fmt::format("write `{} = \"{}\"`", entry.key, spelt));
  }
  throw error;
}

Project::Library library_in(const TomlEntry& entry, std::string_view bytes, std::string_view file) {
  const auto& value = string_in(entry, bytes, file);
  Project::Library library{entry.key, Version::parse(text::trimmed(value))};
  if (library.version || value == "latest") return library;
  throw unreadable(file, entry.line, fmt::format("`{}` is not a version", text::visible(value, 60)))
      .help(fmt::format("write it like `{} = \"9.1\"`, or `\"latest\"` for any", entry.key));
}

Profile profile_in(const TomlEntry& entry, std::string_view bytes, std::string_view file) {
  const auto& value = string_in(entry, bytes, file);
  if (const auto profile = parse_profile(value)) return *profile;
  throw with_suggestion(
      unreadable(file, entry.line, fmt::format("`{}` is not a profile", text::visible(value, 60))),
      value, {"minimal", "runtime", "dev", "full"},
      "profiles are `minimal`, `runtime`, `dev` and `full`");
}

bool flag_in(const TomlEntry& entry, std::string_view file) {
  if (const auto* value = std::get_if<bool>(&entry.value)) return *value;
  throw unreadable(file, entry.line, fmt::format("`{}` is neither true nor false", entry.key));
}

std::string unknown_key(const TomlEntry& entry) {
  std::vector<std::string> known;
  for (const auto& library : all_add_ons()) known.push_back(library.name);
  known.insert(known.end(), std::begin(own_keys), std::end(own_keys));
  auto line =
      fmt::format("line {}: there is no key `{}`", entry.line, text::visible(entry.key, 60));
  if (const auto close = suggest(entry.key, known)) {
    line += fmt::format("; did you mean `{}`?", *close);
  }
  return line;
}

Error names_none(std::string_view file) {
  return unreadable(file, 0, "it names no toolkit")
      .help("write `cudaenv local 12.1`, or `cuda = \"12.1\"` into it");
}

// The shell's hook reads this at each prompt, and what is to be the same for everybody who works
// on a project cannot depend on a machine.
Spec spec_in(std::string_view typed, std::string_view file, std::size_t line) {
  const Spec spec = in_line(file, line, [&] { return Spec::parse(typed); });
  if (!std::holds_alternative<Spec::Auto>(spec.value()) &&
      !std::holds_alternative<Spec::System>(spec.value())) {
    return spec;
  }
  throw unreadable(file, line,
                   fmt::format("`{}` means another toolkit on each machine", spec.text()))
      .help("name a version, a range, or `latest` for the newest that is installed");
}

const TomlEntry* find_cuda(const std::vector<TomlEntry>& entries) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [](const TomlEntry& entry) { return entry.key == "cuda"; });
  return found == entries.end() ? nullptr : &*found;
}

Project from_toml(std::string_view bytes, std::string_view file) {
  const auto entries = read_toml(bytes, file);
  const TomlEntry* cuda = find_cuda(entries);
  if (!cuda) throw names_none(file);
  Project project{spec_in(string_in(*cuda, bytes, file), file, cuda->line), cuda->line};
  for (const auto& entry : entries) {
    if (entry.key == "cuda") continue;
    if (entry.key == "profile") {
      project.profile = profile_in(entry, bytes, file);
    } else if (entry.key == "for") {
      project.framework = string_in(entry, bytes, file);
    } else if (entry.key == "ld_path") {
      project.ld_path = flag_in(entry, file);
    } else if (add_on(entry.key)) {
      project.libraries.push_back(library_in(entry, bytes, file));
    } else {
      project.odd.push_back(unknown_key(entry));
    }
  }
  return project;
}

std::string toml_quoted(std::string_view text) {
  // A spec has neither quotes nor backslashes nor control characters.
  return fmt::format("\"{}\"", text);
}

}  // namespace

Project parse_project(std::string_view bytes, std::string_view file) {
  const auto lines = telling_lines(text_of(bytes, file));
  if (lines.empty()) throw names_none(file);
  if (is_toml(lines.front().text)) return from_toml(bytes, file);
  if (lines.size() > 1) {
    throw unreadable(file, lines[1].number,
                     fmt::format("`{}` is one version too many", text::visible(lines[1].text, 60)))
        .help("a project has one toolkit; a range such as `>=12.1,<13` takes what there is");
  }
  const auto [text, number] = lines.front();
  return Project{spec_in(text, file, number), number};
}

std::string with_cuda(std::string_view bytes, std::string_view file, const Spec& cuda) {
  const auto text = text_of(bytes, file);
  const auto lines = telling_lines(text);
  const std::string_view newline = text.find("\r\n") == std::string_view::npos ? "\n" : "\r\n";
  std::string result(bytes);
  if (lines.empty()) {
    if (!text.empty() && !text.ends_with('\n')) result += newline;
    return fmt::format("{}{}{}", result, cuda.text(), newline);
  }
  if (!is_toml(lines.front().text)) {
    static_cast<void>(parse_project(bytes, file));
    const auto begin = static_cast<std::size_t>(lines.front().text.data() - bytes.data());
    return result.replace(begin, lines.front().text.size(), cuda.text());
  }
  const auto entries = read_toml(bytes, file);
  if (const auto* entry = find_cuda(entries)) {
    return result.replace(entry->begin, entry->end - entry->begin, toml_quoted(cuda.text()));
  }
  // Before the first key, which may be a table's.
  const auto begin = static_cast<std::size_t>(lines.front().text.data() - bytes.data());
  return result.insert(begin, fmt::format("cuda = {}{}", toml_quoted(cuda.text()), newline));
}

}  // namespace cudaenv::catalog
