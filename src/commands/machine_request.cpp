#include "commands/machine_request.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace cudaenv::commands {
namespace {

constexpr const char* usual_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

}  // namespace

sys::Tree tree_of(const MachineRequest& request, const Host& host) {
  std::string root = request.sysroot;
  std::string by = "--sysroot";
  if (root.empty()) {
    root = host.environment.non_empty("CUDAENV_SYSROOT").value_or("/");
    by = "CUDAENV_SYSROOT";
  }
  if (!sys::is_directory(root)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is `{}`, which is no folder", by, text::visible(root, 1000)));
  }
  return sys::Tree(sys::canonical(root));
}

sys::Environment environment_of(const MachineRequest& request, const Host& host) {
  auto variables = tree_of(request, host).is_machine()
                       ? host.environment.variables()
                       : std::map<std::string, std::string, std::less<>>{{"PATH", usual_path}};
  for (const auto& pair : request.variables) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::usage,
                  fmt::format("`{}` is not NAME=VALUE (--env)", text::visible(pair)));
    }
    variables[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return sys::Environment(std::move(variables));
}

doctor::Assumed assumed_of(const MachineRequest& request, const compat::Tables& tables) {
  doctor::Assumed assumed;
  if (!request.driver.empty()) assumed.driver = typed_version(request.driver, "--driver");
  if (!request.glibc.empty()) assumed.glibc = typed_version(request.glibc, "--glibc");
  if (!request.gcc.empty()) assumed.gcc = typed_version(request.gcc, "--gcc");
  if (!request.gpus.empty()) {
    assumed.gpus.emplace();
    for (const auto& typed : request.gpus) assumed.gpus->push_back(typed_gpu(tables, typed));
  }
  return assumed;
}

Version typed_version(const std::string& typed, std::string_view what) {
  if (auto version = Version::parse(text::trimmed(typed))) return *std::move(version);
  throw Error(ErrorKind::usage,
              fmt::format("`{}` is not a version ({})", text::visible(typed), what));
}

GpuFacts typed_gpu(const compat::Tables& tables, const std::string& typed) {
  GpuFacts gpu;
  const auto word = text::trimmed(typed);
  gpu.capability = ComputeCapability::parse(word);
  if (gpu.capability) return gpu;
  if (const auto* row = tables.gpu(word)) {
    gpu.name = row->name;
    gpu.capability = row->capability;
    return gpu;
  }
  throw Error(ErrorKind::usage,
              fmt::format("`{}` is not a GPU that cudaenv knows", text::visible(typed)))
      .help("name its compute capability instead, like 8.9")
      .help("see all with `cudaenv compat --by gpu`");
}

}  // namespace cudaenv::commands
