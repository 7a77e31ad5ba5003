#include "commands/lacks.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace cudaenv::commands {

std::vector<std::string> lack_lines(
    const std::vector<std::pair<std::string, std::string>>& components) {
  std::map<std::string, std::vector<std::string>> by_text;
  for (const auto& [component, text] : components) {
    if (!text.empty()) by_text[text].push_back(component);
  }
  std::vector<std::string> lines;
  for (const auto& [text, names] : by_text) {
    lines.push_back(fmt::format("{}: {}", fmt::join(names, ", "), text));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace cudaenv::commands
