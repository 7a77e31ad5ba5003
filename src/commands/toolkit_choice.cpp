#include "commands/toolkit_choice.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace cudaenv::commands {

namespace fs = std::filesystem;

namespace {

ChosenToolkit in_folder(const fs::path& folder) {
  const auto path = sys::canonical(folder);
  try {
    if (const auto receipt = store::receipt_in(path)) return {receipt->name, path};
  } catch (const Error&) {
    // Whoever tests a toolkit with a damaged receipt wants to know whether it works.
  }
  return {path.string(), path};
}

}  // namespace

ChosenToolkit named_toolkit(const std::string& spec, const Host& host) {
  if (spec.find('/') != std::string::npos) {
    if (sys::is_directory(spec)) return in_folder(spec);
    throw Error(ErrorKind::missing, fmt::format("`{}` is not a folder", text::visible(spec)))
        .help("see what is installed with `cudaenv list`");
  }
  const auto prefix = installed_prefix(host, spec);
  return {prefix.receipt.name, prefix.path};
}

std::optional<ChosenToolkit> active_or_default(const Host& host) {
  std::vector<fs::path> candidates;
  if (const auto active = host.environment.non_empty("CUDA_HOME")) candidates.emplace_back(*active);
  for (const auto& root : reading_roots(host)) candidates.push_back(root.default_link());
  for (const auto& candidate : candidates) {
    if (sys::is_directory(candidate)) return in_folder(candidate);
  }
  return std::nullopt;
}

}  // namespace cudaenv::commands
