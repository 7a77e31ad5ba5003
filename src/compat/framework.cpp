#include "compat/framework.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"

namespace cudaenv::compat {
namespace {

// What packages and people call a framework, beside the tables' own name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> aliases{{
    {"torch", "pytorch"},
    {"tf", "tensorflow"},
    {"tensorflow-gpu", "tensorflow"},
    {"tensorflow-cpu", "tensorflow"},
    {"jaxlib", "jax"},
    {"ort", "onnxruntime"},
    {"onnxruntime-gpu", "onnxruntime"},
    {"onnx-runtime", "onnxruntime"},
    {"paddle", "paddlepaddle"},
    {"paddlepaddle-gpu", "paddlepaddle"},
    {"trt", "tensorrt"},
    {"dali", "nvidia-dali"},
    {"cudf", "rapids"},
    {"flash-attention", "flash-attn"},
    {"opencv-python", "opencv"},
}};

std::string own_name(std::string_view word) {
  std::string name = text::lower(word);
  // cupy-cuda12x, tensorrt-cu12, cudf-cu13 and the like.
  for (const std::string_view mark : {"-cuda", "-cu1"}) {
    const auto at = name.find(mark);
    if (at != std::string::npos && name != "numba-cuda") name.resize(at);
  }
  for (const auto& [alias, meant] : aliases) {
    if (name == alias) return std::string(meant);
  }
  return name;
}

// Whether a release is one that people install without asking for it.
bool is_settled(const FrameworkRow& row) {
  static constexpr std::array<std::string_view, 6> unsettled{
      "experimental", "extra", "beta", "development", "release candidate", "HPC site"};
  return row.confidence != "low" &&
         std::none_of(unsettled.begin(), unsettled.end(),
                      [&](std::string_view word) { return row.status.starts_with(word); });
}

const Version& first_version(const FrameworkRow& row) {
  return row.version.alternatives().front().front().version;
}

// "2.1" asks for every 2.1.x, and is answered by a row for 2.1.2 as well.
bool speaks_of(const FrameworkRow& row, const Version& version) {
  return row.version.accepts(version) || first_version(row).starts_with(version);
}

std::string filled(std::string command, const Version& version, const Version& cuda) {
  Version exact = version;
  while (exact.parts().size() < 3) exact = *Version::parse(exact.text() + ".0");
  const std::string wanted = version.parts().size() < 3 ? version.text() + ".*" : version.text();
  const std::array<std::pair<std::string_view, std::string>, 4> values{{
      {"{version}", wanted},
      {"{exact}", exact.text()},
      {"{cu}", fmt::format("{}{}", cuda.major(), cuda.minor())},
      {"{major}", fmt::format("{}", cuda.major())},
  }};
  for (const auto& [mark, value] : values) {
    for (auto at = command.find(mark); at != std::string::npos;
         at = command.find(mark, at + value.size())) {
      command.replace(at, mark.size(), value);
    }
  }
  return command;
}

}  // namespace

FrameworkWish FrameworkWish::parse(const Tables& tables, std::string_view typed) {
  const auto trimmed = text::trimmed(typed);
  const auto sign = trimmed.find_first_of("=@<>!~");
  FrameworkWish wish{own_name(text::trimmed(trimmed.substr(0, sign))), std::nullopt};
  const auto known = framework_names(tables);
  if (std::find(known.begin(), known.end(), wish.name) == known.end()) {
    throw with_suggestion(
        Error(ErrorKind::usage,
              fmt::format("`{}` is not a framework that cudaenv knows", text::visible(trimmed))),
        wish.name, known, fmt::format("known are: {}", fmt::join(known, ", ")));
  }
  if (sign == std::string_view::npos) return wish;
  auto version = trimmed.substr(sign);
  if (std::string_view("<>!~").find(version[0]) != std::string_view::npos) {
    throw Error(ErrorKind::usage,
                fmt::format("`{}` is a range, and one version is needed", text::visible(trimmed)))
        .help(fmt::format("name one, like `{}==2.1`; `cudaenv compat {}` shows all", wish.name,
                          wish.name));
  }
  version.remove_prefix(version.starts_with("==") ? 2 : 1);
  wish.version = Version::parse(text::trimmed(version));
  if (!wish.version) {
    throw Error(ErrorKind::usage,
                fmt::format("`{}` is not a version of {}", text::visible(version), wish.name))
        .help(fmt::format("write it like `{}==2.1`", wish.name));
  }
  return wish;
}

std::string FrameworkWish::text() const {
  return version ? fmt::format("{}=={}", name, version->text()) : name;
}

std::string framework_of_package(std::string_view package) { return own_name(package); }

std::vector<std::string> framework_names(const Tables& tables) {
  std::vector<std::string> names;
  for (const auto& row : tables.frameworks) names.push_back(row.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<const FrameworkRow*> rows_for(const Tables& tables, const FrameworkWish& wish) {
  const FrameworkRow* newest = nullptr;
  if (!wish.version) {
    for (const auto& row : tables.frameworks) {
      if (row.name != wish.name || !is_settled(row)) continue;
      if (!newest || first_version(*newest) < first_version(row)) newest = &row;
    }
  }
  std::vector<const FrameworkRow*> rows;
  for (const auto& row : tables.frameworks) {
    if (row.name != wish.name) continue;
    const bool meant =
        wish.version ? speaks_of(row, *wish.version) : newest && row.version == newest->version;
    if (meant) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto* one, const auto* other) {
    return is_settled(*one) && !is_settled(*other);
  });
  return rows;
}

std::string install_line(const Tables& tables, const FrameworkRow& row, const Version* version,
                         const Version& cuda) {
  if (row.shipped == Shipped::source) return {};
  const Version& meant = version ? *version : first_version(row);
  for (const auto& recipe : tables.recipes) {
    if (recipe.name != row.name || !recipe.version.accepts(meant)) continue;
    if (recipe.cuda.accepts(cuda)) return filled(recipe.command, meant, cuda);
  }
  return {};
}

}  // namespace cudaenv::compat
