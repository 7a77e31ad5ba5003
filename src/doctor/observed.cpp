#include "doctor/observed.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace cudaenv::doctor {
namespace {

constexpr const char* default_link = "/usr/local/cuda";
// In the order in which the tools that build look at them.
constexpr std::array home_variables{"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT"};

void name_prefix(const sys::Tree& tree, Observed& seen, std::string by, std::string value,
                 const std::string& path) {
  const auto real = path.starts_with('/') ? tree.resolve(path) : std::nullopt;
  const bool folder = real && tree.is_directory(*real);
  seen.namings.push_back({std::move(by), std::move(value), folder ? *real : ""});
}

void see_nvccs(const sys::Tree& tree, Observed& seen) {
  std::vector<std::string> known;
  const std::string path = seen.environment.get("PATH").value_or("");
  for (const auto folder : text::split(path, ':')) {
    if (!folder.starts_with('/')) continue;
    const std::string file = sys::tree_path(folder, "nvcc");
    const auto real = tree.resolve(file);
    if (!real || !tree.is_program(*real)) continue;
    // A link to ccache or its like starts the next nvcc of PATH.
    if (real->find("nvcc", real->rfind('/')) == std::string::npos) continue;
    if (std::find(known.begin(), known.end(), *real) != known.end()) continue;
    known.push_back(*real);
    seen.nvccs.push_back({file, prefix_of_nvcc(tree, file), std::nullopt, Owner::nvidia});
  }
}

void see_namings(const sys::Tree& tree, Observed& seen) {
  for (const char* name : home_variables) {
    if (const auto value = seen.environment.get(name)) {
      name_prefix(tree, seen, name, *value, *value);
    }
  }
  if (const auto compiler = seen.environment.non_empty("CUDACXX")) {
    const bool there = compiler->starts_with('/') && tree.is_program(*compiler);
    name_prefix(tree, seen, "CUDACXX", *compiler, there ? prefix_of_nvcc(tree, *compiler) : "");
  }
  if (!seen.nvccs.empty()) {
    const auto& first = seen.nvccs.front();
    name_prefix(tree, seen, "PATH", first.path, first.prefix);
  }
  if (tree.link_stat(default_link)) {
    name_prefix(tree, seen, default_link, tree.link_target(default_link).value_or(default_link),
                default_link);
    seen.default_hops = tree.hops(default_link);
  }
}

std::vector<std::string> toolkit_places(const sys::Tree& tree, const ObserveRequest& request,
                                        const Observed& seen) {
  std::vector<std::string> places = request.prefixes;
  for (const auto& naming : seen.namings) {
    if (!naming.prefix.empty()) places.push_back(naming.prefix);
  }
  for (const auto& nvcc : seen.nvccs) places.push_back(nvcc.prefix);
  for (const char* folder : {"/usr/local", "/opt"}) {
    for (const auto& name : tree.list(folder)) {
      if (name.starts_with("cuda")) places.push_back(std::string(folder) + "/" + name);
    }
  }
  for (const char* folder : {"/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"}) {
    // A distribution's split toolkit is one, whatever folder led to it.
    if (tree.is_directory(folder)) places.push_back("/usr");
  }
  if (!seen.conda.empty()) places.push_back(seen.conda);
  for (const auto& path : request.judged) places.push_back(path);
  return places;
}

void see_toolkits(const sys::Tree& tree, const ObserveRequest& request, Observed& seen) {
  for (const auto& place : toolkit_places(tree, request, seen)) {
    auto real = tree.resolve(place).value_or("");
    if (real.starts_with("/usr/lib/cuda") || real.starts_with("/usr/lib/nvidia-cuda-toolkit")) {
      real = "/usr";
    }
    if (real.empty() || seen.toolkit(real)) continue;
    if (auto facts = toolkit_facts(tree, real)) seen.toolkits.push_back(std::move(*facts));
  }
  for (auto& facts : seen.toolkits) {
    for (const auto& naming : seen.namings) {
      if (naming.prefix == facts.path) facts.named_by.push_back(naming.by);
    }
    if (facts.path == seen.conda) facts.named_by.emplace_back("CONDA_PREFIX");
  }
  for (auto& nvcc : seen.nvccs) {
    const auto* facts = seen.toolkit(nvcc.prefix);
    if (!facts) continue;
    nvcc.owner = facts->owner;
    nvcc.version = facts->version();
  }
}

void choose_judged(const sys::Tree& tree, const ObserveRequest& request, Observed& seen) {
  for (const auto& path : request.judged) {
    if (const auto real = tree.resolve(path)) seen.judged.push_back(*real);
  }
  if (!seen.judged.empty()) return;
  if (const auto* active = seen.active()) seen.judged.push_back(active->path);
  if (!request.judge_all) return;
  for (const auto& facts : seen.toolkits) {
    if (std::find(seen.judged.begin(), seen.judged.end(), facts.path) == seen.judged.end()) {
      seen.judged.push_back(facts.path);
    }
  }
}

void add_folder(const sys::Tree& tree, const std::string& path, std::vector<LoaderFolder>& into) {
  const auto real = tree.resolve(path);
  if (!real || !tree.is_directory(*real)) return;
  LoaderFolder folder{path, *real, nvidia_libraries(tree, *real)};
  if (!folder.libraries.empty()) into.push_back(std::move(folder));
}

// The folders of libraries that NVIDIA's wheels and PyTorch's put into a Python environment.
void see_wheels(const sys::Tree& tree, Observed& seen) {
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto root = seen.environment.non_empty(name);
    if (!root || !root->starts_with('/')) continue;
    for (const auto& python : tree.list(*root + "/lib")) {
      if (!python.starts_with("python3")) continue;
      const std::string packages = *root + "/lib/" + python + "/site-packages/";
      for (const auto& part : tree.list(packages + "nvidia")) {
        add_folder(tree, packages + "nvidia/" + part + "/lib", seen.wheels);
      }
      add_folder(tree, packages + "torch/lib", seen.wheels);
    }
  }
}

void assume(const Assumed& assumed, Observed& seen) {
  auto& report = seen.driver;
  if (assumed.driver) {
    report = gpu::DriverReport();
    report.facts.module_version = assumed.driver;
    seen.assumed_driver = true;
  }
  if (assumed.gpus) {
    report.gpus = *assumed.gpus;
    report.visible.clear();
  }
  if (assumed.glibc) seen.glibc = assumed.glibc;
  if (assumed.gcc) {
    seen.compilers = {};
    seen.compilers.chosen = CompilerFacts{"gcc", *assumed.gcc, ""};
  }
}

}  // namespace

const ToolkitFacts* Observed::toolkit(std::string_view path) const {
  const auto found = std::find_if(toolkits.begin(), toolkits.end(),
                                  [&](const ToolkitFacts& facts) { return facts.path == path; });
  return found == toolkits.end() ? nullptr : &*found;
}

const ToolkitFacts* Observed::active() const {
  for (const auto& naming : namings) {
    if (const auto* facts = naming.prefix.empty() ? nullptr : toolkit(naming.prefix)) return facts;
  }
  return nullptr;
}

std::optional<Version> Observed::library_version(const ToolkitFacts& facts,
                                                 std::string_view start) const {
  for (const auto& folder : toolkit_libraries) {
    if (folder.written != facts.lib) continue;
    for (const auto& file : folder.libraries) {
      if (file.name.starts_with(start) && file.version) return file.version->first(3);
    }
  }
  return std::nullopt;
}

Observed observe(const ObserveRequest& request, const Interrupt& interrupt) {
  const auto& tree = request.tree;
  Observed seen;
  seen.machine = tree.is_machine();
  seen.for_image = request.for_image;
  seen.environment = request.environment;
  seen.root = request.root;
  const auto& assumed = request.assumed;
  // Another driver is assumed: what this machine's says does not matter, and may take long.
  if (!assumed.driver) {
    seen.driver = gpu::driver_report(tree, request.environment, interrupt, request.driver_limit);
  }
  // Without the module there is none, and the log may be long.
  if (seen.machine && seen.driver.kernel.module.version) seen.xids = gpu::logged_xids();
  seen.glibc = glibc_version(tree);
  seen.compilers = host_compilers(tree, request.environment, interrupt);
  seen.conda = tree.resolve(request.environment.get("CONDA_PREFIX").value_or("")).value_or("");
  if (seen.conda == "/") seen.conda.clear();
  see_nvccs(tree, seen);
  see_namings(tree, seen);
  see_toolkits(tree, request, seen);
  seen.loader = loader_facts(tree, request.environment.get("LD_LIBRARY_PATH").value_or(""));
  assume(assumed, seen);
  choose_judged(tree, request, seen);
  for (const auto& path : seen.judged) {
    const auto* facts = seen.toolkit(path);
    if (facts && !facts->lib.empty()) add_folder(tree, facts->lib, seen.toolkit_libraries);
  }
  see_wheels(tree, seen);
  seen.wanted = request.wanted;
  for (const auto& facts : seen.toolkits) {
    if (seen.wanted.empty() || facts.lib.empty()) continue;
    if (tree.is_file(sys::tree_path(facts.lib, seen.wanted))) seen.wanted_in.push_back(facts.lib);
  }
  return seen;
}

}  // namespace cudaenv::doctor
