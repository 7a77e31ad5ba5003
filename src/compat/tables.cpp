#include "compat/tables.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "compat/gpu_name.hpp"
#include "embedded/compat.hpp"

namespace cudaenv::compat {
namespace {

bool begins_with(const std::vector<std::string>& words, const std::vector<std::string>& first) {
  return !first.empty() && first.size() <= words.size() &&
         std::equal(first.begin(), first.end(), words.begin());
}

bool has(const ArchitectureRow& row, ComputeCapability capability) {
  return std::find(row.compiled.begin(), row.compiled.end(), capability) != row.compiled.end();
}

// Adds the rows of the files whose names are wanted.
Tables with_embedded(Tables tables, bool (*wanted)(std::string_view name)) {
  namespace files = embedded::compat;
  for (std::size_t i = 0; i < files::count(); ++i) {
    const auto file = files::at(i);
    if (!wanted(file.name)) continue;
    overlay(tables, file.bytes, fmt::format("the built-in {}", file.name));
  }
  return tables;
}

bool is_of_explain(std::string_view file) { return file.starts_with("errors"); }

}  // namespace

std::string_view name_of(Shipped shipped) {
  switch (shipped) {
    case Shipped::bundled:
      return "bundled";
    case Shipped::extra:
      return "extra";
    case Shipped::system:
      return "system";
    case Shipped::source:
      return "source";
  }
  return "system";
}

const ToolkitRow* Tables::toolkit(const Version& release) const {
  const auto newest = [&](const Version& beginning) -> const ToolkitRow* {
    for (auto row = toolkits.rbegin(); row != toolkits.rend(); ++row) {
      if (row->release.starts_with(beginning)) return &*row;
    }
    return nullptr;
  };
  if (const auto* row = newest(release)) return row;
  // A patch release that is not known differs from its neighbours in little.
  return release.parts().size() > 2 ? newest(release.first(2)) : nullptr;
}

const DriverRow* Tables::driver(const Version& version) const {
  const DriverRow* found = nullptr;
  for (const auto& row : drivers) {
    if (row.branch.major() <= version.major()) found = &row;
  }
  return found;
}

const ArchitectureRow* Tables::architecture(const Version& release) const {
  for (const auto& row : architectures) {
    if (release.starts_with(row.cuda)) return &row;
  }
  return nullptr;
}

const CompilerRow* Tables::compiler(const Version& release, std::string_view family) const {
  for (const auto& row : compilers) {
    if (row.family == family && release.starts_with(row.cuda)) return &row;
  }
  return nullptr;
}

const GpuRow* Tables::gpu(std::string_view name) const {
  const auto words = telling_words(name);
  const GpuRow* found = nullptr;
  std::size_t longest = 0;
  for (const auto& row : gpus) {
    const auto known = telling_words(row.name);
    if (known.size() <= longest || !begins_with(words, known)) continue;
    found = &row;
    longest = known.size();
  }
  return found;
}

const RateRow* Tables::rate(ComputeCapability capability, std::string_view name) const {
  const auto words = words_of(name);
  const RateRow* found = nullptr;
  for (const auto& row : rates) {
    if (row.capability != capability) continue;
    if (row.word.empty()) {
      if (!found) found = &row;
    } else if (std::find(words.begin(), words.end(), text::lower(row.word)) != words.end()) {
      return &row;
    }
  }
  return found;
}

const BoardRow* Tables::board(std::string_view name) const {
  const auto words = telling_words(name);
  const auto found = std::find_if(boards.begin(), boards.end(), [&](const BoardRow& row) {
    return telling_words(row.name) == words;
  });
  return found == boards.end() ? nullptr : &*found;
}

const ErrorRow* Tables::error(std::string_view id) const {
  const auto at = std::lower_bound(
      errors.begin(), errors.end(), id,
      [](const ErrorRow& row, std::string_view wanted) { return row.id < wanted; });
  return at != errors.end() && at->id == id ? &*at : nullptr;
}

const CodeRow* Tables::code(std::string_view family, unsigned number) const {
  const auto found = std::find_if(codes.begin(), codes.end(), [&](const CodeRow& row) {
    return row.family == family && row.number == number;
  });
  return found == codes.end() ? nullptr : &*found;
}

std::optional<Version> Tables::last_with(ComputeCapability capability) const {
  for (auto row = architectures.rbegin(); row != architectures.rend(); ++row) {
    if (has(*row, capability)) return row->cuda;
  }
  return std::nullopt;
}

std::optional<Version> Tables::first_with(ComputeCapability capability) const {
  for (const auto& row : architectures) {
    if (has(row, capability)) return row.cuda;
  }
  return std::nullopt;
}

const Tables& builtin_tables() {
  static const Tables tables = with_embedded(builtin_rules(), is_of_explain);
  return tables;
}

const Tables& builtin_rules() {
  static const Tables tables =
      with_embedded({}, [](std::string_view name) { return !is_of_explain(name); });
  return tables;
}

const Tables& builtin_frameworks() {
  static const Tables tables =
      with_embedded({}, [](std::string_view name) { return name == "frameworks.tsv"; });
  return tables;
}

}  // namespace cudaenv::compat
