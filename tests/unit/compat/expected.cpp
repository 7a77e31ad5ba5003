#include "expected.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace cudaenv::compat {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (const auto word : text::split(line, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

std::string with_blanks(std::string word) {
  std::replace(word.begin(), word.end(), '_', ' ');
  return word;
}

}  // namespace

std::string Case::text() const {
  return words.empty() ? fmt::format("{} {} {}: {}", held, row, column, expected)
                       : fmt::format("{}", fmt::join(words, " "));
}

std::vector<Case> expected_cases(std::string_view kind) {
  std::vector<Case> cases;
  std::string form;
  std::string held;
  std::vector<std::string> columns;
  const std::string content = sys::read_file(CUDAENV_EXPECTED);
  for (const auto line : text::lines(content)) {
    const auto words = words_of(line);
    if (words.empty() || words[0] == "#") {
      if (words.empty()) form.clear();
      continue;
    }
    if (words[0] == "matrix" || words[0] == "list") {
      form = words.at(1) == kind ? words[0] : "";
      held = words.size() > 2 ? with_blanks(words[2]) : "";
      columns.clear();
    } else if (form == "list") {
      cases.push_back({"", "", "", "", words});
    } else if (form == "matrix" && columns.empty()) {
      columns = words;
    } else if (form == "matrix") {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        cases.push_back({held, with_blanks(words.at(0)), columns[i], words.at(i + 1), {}});
      }
    }
  }
  return cases;
}

std::vector<GpuFacts> gpus_of(std::string_view words) {
  std::vector<GpuFacts> gpus;
  if (words == ".") return gpus;
  for (const auto word : text::split(words, '+')) {
    GpuFacts gpu;
    gpu.name = with_blanks(std::string(word));
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

DriverFacts driver_of(std::string_view version) {
  DriverFacts driver;
  driver.module_version = Version::parse(version).value();
  return driver;
}

std::optional<Version> version_of(std::string_view word) {
  if (word == ".") return std::nullopt;
  return Version::parse(word).value();
}

}  // namespace cudaenv::compat
