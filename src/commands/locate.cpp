#include "commands/locate.hpp"

#include <array>

#include <fmt/format.h>

#include "activate/change.hpp"
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "commands/choice.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

namespace cudaenv::commands {
namespace {

// Folders of a prefix that hold programs, the one that PATH has first.
constexpr std::array tool_folders{"bin", "nvvm/bin", "compute-sanitizer", "extras/demo_suite"};

bool is_executable_file(const std::filesystem::path& path) {
  const auto stat = sys::stat_target(path);
  return stat && stat->kind == sys::Kind::regular && (stat->mode & 0111u) != 0;
}

void check_tool(const std::string& tool) {
  if (!tool.empty() && tool.find('/') == std::string::npos) return;
  throw Error(ErrorKind::usage, fmt::format("`{}` is not the name of a tool", text::visible(tool)));
}

std::optional<std::filesystem::path> tool_in(const std::filesystem::path& prefix,
                                             const std::string& tool) {
  for (const char* folder : tool_folders) {
    if (is_executable_file(prefix / folder / tool)) return prefix / folder / tool;
  }
  return std::nullopt;
}

}  // namespace

std::filesystem::path which(const std::string& tool, const std::string& spec, const Host& host) {
  check_tool(tool);
  const auto installed = Toolkits(host).chosen(spec).prefix;
  if (auto found = tool_in(installed.path, tool)) return std::move(*found);
  std::vector<std::string> tools;
  for (const char* folder : tool_folders) {
    for (auto& name : sys::list(installed.path / folder)) tools.push_back(std::move(name));
  }
  Error error(ErrorKind::missing,
              fmt::format("{} has no tool `{}`", installed.receipt.name, text::visible(tool)));
  for (const auto& component : installed.receipt.components) {
    if (component.lacks.find(tool) != std::string::npos) {
      error = std::move(error).because(fmt::format("{}: {}", component.name, component.lacks));
    }
  }
  throw with_suggestion(
      std::move(error), tool, tools,
      fmt::format("a larger profile may have it: `cudaenv install {} --profile dev`",
                  installed.receipt.cuda.text()));
}

std::vector<std::filesystem::path> which_all(const std::string& tool, const Host& host) {
  check_tool(tool);
  Toolkits toolkits(host);
  std::vector<std::filesystem::path> result;
  for (const auto& prefix : toolkits.inventory().prefixes) {
    if (auto found = tool_in(prefix.path, tool)) result.push_back(std::move(*found));
  }
  if (result.empty()) {
    throw Error(ErrorKind::missing,
                fmt::format("no installed toolkit has a tool `{}`", text::visible(tool)))
        .help("see what is installed with `cudaenv list`");
  }
  return result;
}

std::filesystem::path prefix(const std::string& spec, const Host& host) {
  return Toolkits(host).chosen(spec).prefix.path;
}

void exec(const ExecRequest& request, const Host& host) {
  const auto change = use_chosen(request.toolkit, host).change;
  sys::replace_process(request.command, activate::applied(host.environment.variables(), change));
}

}  // namespace cudaenv::commands
