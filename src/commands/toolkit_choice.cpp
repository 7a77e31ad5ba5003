#include "commands/toolkit_choice.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/choice.hpp"
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

std::optional<ChosenToolkit> chosen_toolkit(const std::string& spec, const Host& host) {
  const auto of = [](const Choice& choice) {
    return ChosenToolkit{choice.prefix.receipt.name, choice.prefix.path};
  };
  Toolkits toolkits(host);
  if (spec.find('/') != std::string::npos) {
    if (sys::is_directory(spec)) return in_folder(spec);
    throw Error(ErrorKind::missing, fmt::format("`{}` is not a folder", text::visible(spec)))
        .help("see what is installed with `cudaenv list`");
  }
  if (!spec.empty()) return of(toolkits.chosen(spec));
  if (const auto choice = toolkits.asked_for()) return of(*choice);
  if (const auto home = host.environment.non_empty("CUDA_HOME"); home && sys::is_directory(*home)) {
    return in_folder(*home);
  }
  if (const auto choice = toolkits.by_default()) return of(*choice);
  for (const auto& root : reading_roots(host)) {
    if (const auto prefix = default_prefix(root)) return in_folder(*prefix);
  }
  return std::nullopt;
}

}  // namespace cudaenv::commands
