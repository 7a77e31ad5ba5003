#include "commands/locate.hpp"

#include <array>

#include <fmt/format.h>

#include "activate/change.hpp"
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
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

}  // namespace

std::filesystem::path which(const std::string& tool, const std::string& spec, const Host& host) {
  if (tool.empty() || tool.find('/') != std::string::npos) {
    throw Error(ErrorKind::usage,
                fmt::format("`{}` is not the name of a tool", text::visible(tool)));
  }
  const auto installed = installed_prefix(host, spec);
  std::vector<std::string> tools;
  for (const char* folder : tool_folders) {
    if (is_executable_file(installed.path / folder / tool)) return installed.path / folder / tool;
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

std::filesystem::path prefix(const std::string& spec, const Host& host) {
  return installed_prefix(host, spec).path;
}

void exec(const ExecRequest& request, const Host& host) {
  const auto installed = installed_prefix(host, request.spec);
  activate::Options options;
  options.ld_path = request.ld_path;
  const auto& variables = host.environment.variables();
  const auto change = activate::change(variables, {installed.path.string(), {}}, options);
  sys::replace_process(request.command, activate::applied(variables, change));
}

}  // namespace cudaenv::commands
