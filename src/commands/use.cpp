#include "commands/use.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "install/plan.hpp"
#include "sys/file.hpp"

namespace cudaenv::commands {

namespace fs = std::filesystem;

namespace {

void warn_of_python(const activate::Change& change, const Host& host) {
  const auto path = change.variables.find("LD_LIBRARY_PATH");
  if (path == change.variables.end() || !path->second) return;
  const auto libraries = python_cuda_libraries(host);
  if (!libraries) return;
  host.progress.note(
      fmt::format("LD_LIBRARY_PATH hides the CUDA libraries in `{}` from Python; `--no-ld-path` "
                  "leaves it alone",
                  text::visible(libraries->string(), 400)));
}

// As the request says, else the variable, else the project, else the configuration.
bool is_wanted(const char* variable, std::optional<bool> request, std::optional<bool> project,
               const Host& host) {
  if (request) return *request;
  const auto& variables = host.environment.variables();
  const auto own = variables.find(variable);
  if (own != variables.end() && !own->second.empty()) return host.environment.is_on(variable);
  if (project) return *project;
  return !host.environment.non_empty(variable) || host.environment.is_on(variable);
}

UseResult entered(Choice choice, std::string chosen_by, activate::Options options,
                  const UseRequest& request, const Host& host) {
  options.chosen_by = std::move(chosen_by);
  const activate::Variables none;
  const auto& variables = request.from_empty_environment ? none : host.environment.variables();
  UseResult result{activate::change(variables, {choice.prefix.path.string(), {}}, options),
                   std::move(choice)};
  if (!request.from_empty_environment) warn_of_python(result.change, host);
  return result;
}

}  // namespace

UseResult use(const UseRequest& request, const Host& host) {
  if (request.spec.empty()) {
    if (const auto file = project_file(host)) return use(*file, request, host);
    throw Error(ErrorKind::missing, "no toolkit was named, and no `.cudaenv` holds here")
        .help("name one: `cudaenv use 12.1`; `cudaenv local 12.1` writes a `.cudaenv`");
  }
  Wanted wanted;
  for (const auto& typed : request.with) wanted.libraries.push_back(library_named(typed));
  Toolkits toolkits(host);
  auto choice = toolkits.named(request.spec, wanted);
  const auto by = fmt::format("use {}", choice.where);
  return entered(std::move(choice), by, what_to_set(request, nullptr, host), request, host);
}

UseResult use(const ProjectFile& file, const UseRequest& request, const Host& host) {
  auto wanted = file;
  for (const auto& typed : request.with) {
    wanted.project.libraries.push_back(library_named(typed));
  }
  Toolkits toolkits(host);
  return entered(toolkits.of(wanted), file.place(), what_to_set(request, &file.project, host),
                 request, host);
}

UseResult use_chosen(const UseRequest& request, const Host& host) {
  if (!request.spec.empty() || !request.with.empty()) return use(request, host);
  Toolkits toolkits(host);
  const auto options = what_to_set(request, nullptr, host);
  if (auto choice = toolkits.active()) {
    const bool same = !request.ld_path && !request.cudacxx;
    if (same && activate::active(host.environment.variables())) return {{}, std::move(*choice)};
    const auto by = choice->where;
    return entered(std::move(*choice), by, options, request, host);
  }
  if (const auto file = project_file(host)) return use(*file, request, host);
  if (auto choice = toolkits.by_default()) {
    return entered(std::move(*choice), "default", options, request, host);
  }
  throw toolkits.none_chosen();
}

activate::Options what_to_set(const UseRequest& request, const catalog::Project* project,
                              const Host& host) {
  activate::Options options;
  options.ld_path = is_wanted("CUDAENV_LD_PATH", request.ld_path,
                              project ? project->ld_path : std::nullopt, host);
  options.cudacxx = is_wanted("CUDAENV_CUDACXX", request.cudacxx, std::nullopt, host);
  return options;
}

catalog::Project::Library library_named(const std::string& typed) {
  auto request = install::AddOnRequest::parse(typed);
  return {std::move(request.name), std::move(request.version)};
}

std::optional<fs::path> python_cuda_libraries(const Host& host) {
  if (const auto venv = host.environment.non_empty("VIRTUAL_ENV")) {
    const fs::path lib = fs::path(*venv) / "lib";
    for (const auto& python : sys::list(lib)) {
      if (!python.starts_with("python")) continue;
      const fs::path nvidia = lib / python / "site-packages/nvidia";
      for (const auto& package : sys::list(nvidia)) {
        if (sys::is_directory(nvidia / package / "lib")) return nvidia;
      }
    }
  }
  if (const auto conda = host.environment.non_empty("CONDA_PREFIX")) {
    // A folder of thousands of files is not read.
    for (const char* name :
         {"libcudart.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"}) {
      if (sys::stat_target(fs::path(*conda) / "lib" / name)) return fs::path(*conda) / "lib";
    }
  }
  return std::nullopt;
}

}  // namespace cudaenv::commands
