#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doctor/checks.hpp"

namespace cudaenv::doctor {
namespace {

using compat::Severity;
using Lines = std::vector<std::string>;
constexpr std::size_t most_named = 5;

std::string shown(std::string_view path) { return fmt::format("`{}`", text::visible(path, 400)); }

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// The first names, and how many more there are.
std::string few(const Lines& names) {
  const Lines first(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(
                                                       std::min(most_named, names.size())));
  std::string result = text::join(first, ", ");
  if (names.size() > most_named) result += fmt::format(" and {} more", names.size() - most_named);
  return result;
}

// What to type to lose one element of LD_LIBRARY_PATH.
std::string drop_advice(std::string_view element) {
  return fmt::format("take {} off LD_LIBRARY_PATH", shown(element));
}

// The toolkit that a folder of libraries belongs to.
const ToolkitFacts* owner_of(const Observed& seen, const std::string& folder) {
  for (const auto& facts : seen.toolkits) {
    if (facts.owner == Owner::distribution) continue;
    if (folder == facts.path || folder.starts_with(facts.path + "/")) return &facts;
  }
  return nullptr;
}

bool is_stubs(const std::string& path) { return path.ends_with("/stubs"); }

const LibraryFile* library_named(const LoaderFolder& folder, std::string_view name) {
  const auto found = std::find_if(folder.libraries.begin(), folder.libraries.end(),
                                  [&](const LibraryFile& file) { return file.name == name; });
  return found == folder.libraries.end() ? nullptr : &*found;
}

void check_libcuda_in(const Observed& seen, const LoaderFolder& folder, Findings& findings) {
  const auto* libcuda = library_named(folder, "libcuda.so.1");
  if (is_stubs(folder.path) || is_stubs(folder.written)) {
    findings.push_back(
        {"loader.stubs",
         Severity::error,
         fmt::format("LD_LIBRARY_PATH has the stubs {}", shown(folder.written)),
         {"they are there to link against; a program that loads them gets error 34"},
         {drop_advice(folder.written) + "; for linking, LIBRARY_PATH is the place"}});
  } else if (libcuda && gpu::is_compat_library(libcuda->path)) {
    findings.push_back({"loader.compat",
                        Severity::warning,
                        fmt::format("LD_LIBRARY_PATH has the forward-compatibility libcuda of {}",
                                    shown(folder.written)),
                        {"it works on data-centre GPUs only (error 804 elsewhere), and hides the "
                         "driver's own after an update"},
                        {drop_advice(folder.written)}});
  } else if (libcuda && owner_of(seen, folder.path)) {
    findings.push_back(
        {"loader.libcuda-in-toolkit",
         Severity::error,
         fmt::format("{} is in a toolkit and comes before the driver's", shown(libcuda->path)),
         {"libcuda belongs to the driver and must have the kernel module's version"},
         {"remove it from the toolkit"}});
  }
  if (const auto* opencl = library_named(folder, "libOpenCL.so.1");
      opencl && owner_of(seen, folder.path)) {
    findings.push_back({"loader.opencl",
                        Severity::warning,
                        fmt::format("{} hides the system's OpenCL loader", shown(opencl->path)),
                        {"OpenCL programs may find NVIDIA's devices only, or none"},
                        {"take the toolkit off LD_LIBRARY_PATH for OpenCL programs"}});
  }
}

void check_wsl(const Observed& seen, Findings& findings) {
  if (!seen.driver.kernel.wsl) return;
  const auto of_wsl = [](const std::string& path) { return path.starts_with("/usr/lib/wsl/"); };
  for (const auto& hit : seen.loader.hits("libcuda.so.1")) {
    if (of_wsl(hit.file->path) || is_stubs(folder_of(hit.file->path))) continue;
    findings.push_back(
        {"loader.wsl-libcuda",
         Severity::error,
         fmt::format("{} is found through {}", shown(hit.file->path),
                     hit.from == "ld.so.cache" ? hit.from : shown(hit.from)),
         {"on WSL2 the driver is Windows', its libcuda is the one in /usr/lib/wsl/lib"},
         {"remove the Linux driver's packages: `sudo apt-get purge 'nvidia-driver-*' "
          "'libnvidia-compute-*'`"}});
    return;
  }
  for (const auto& folder : seen.loader.folders) {
    if (of_wsl(folder.path) || of_wsl(folder.written)) return;
    if (folder.path.starts_with("/usr/lib/") || folder.path == "/usr/lib") {
      findings.push_back({"loader.wsl-system-folder",
                          Severity::warning,
                          fmt::format("LD_LIBRARY_PATH has {}, and /usr/lib/wsl/lib not before it",
                                      shown(folder.written)),
                          {"a Linux driver's libcuda in it would win over WSL2's"},
                          {drop_advice(folder.written)}});
      return;
    }
  }
}

// Libraries of the same name in two places: the first folder's are loaded.
struct Shadow {
  Lines names;
  bool older = false;  // one of the winners is older than what it hides
};

std::map<std::pair<std::string, std::string>, Shadow> shadows(const Observed& seen) {
  std::map<std::pair<std::string, std::string>, Shadow> result;
  for (const auto& name : seen.loader.names("lib")) {
    const auto hits = seen.loader.hits(name);
    for (std::size_t i = 1; i < hits.size(); ++i) {
      const auto& winner = *hits.front().file;
      const auto& loser = *hits[i].file;
      if (hits.front().from == "ld.so.cache" || winner.path == loser.path) continue;
      if (winner.version && winner.version == loser.version) continue;
      auto& shadow = result[{hits.front().from, folder_of(loser.path)}];
      if (shadow.names.empty() || shadow.names.back() != name) shadow.names.push_back(name);
      shadow.older |= winner.version && loser.version && *winner.version < *loser.version;
    }
  }
  return result;
}

}  // namespace

Findings check_loader_elements(const Observed& seen) {
  Findings findings;
  Lines missing;
  Lines relative;
  bool empty = false;
  for (const auto& folder : seen.loader.folders) {
    if (folder.written.empty()) {
      empty = true;
    } else if (folder.is_relative()) {
      relative.push_back(shown(folder.written));
    } else if (folder.path.empty()) {
      missing.push_back(shown(folder.written));
    }
  }
  if (empty) {
    findings.push_back({"loader.empty-element",
                        Severity::warning,
                        "LD_LIBRARY_PATH has an empty element",
                        {"it means the current folder: a library that lies there is loaded"},
                        {"write `${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}` where it is extended"}});
  }
  if (!relative.empty()) {
    findings.push_back({"loader.relative-element",
                        Severity::warning,
                        fmt::format("LD_LIBRARY_PATH has {}", few(relative)),
                        {"it depends on the current folder what is loaded"},
                        {"write absolute paths"}});
  }
  if (!missing.empty()) {
    findings.push_back({"loader.missing-folder",
                        Severity::note,
                        fmt::format("LD_LIBRARY_PATH has what is not there: {}", few(missing)),
                        {},
                        {}});
  }
  return findings;
}

Findings check_loader_driver(const Observed& seen) {
  Findings findings;
  for (const auto& folder : seen.loader.folders) {
    if (!folder.path.empty()) check_libcuda_in(seen, folder, findings);
  }
  for (const auto& file : seen.loader.cached) {
    if (file.name != "libcuda.so.1" || !gpu::is_compat_library(file.path)) continue;
    findings.push_back(
        {"loader.compat",
         Severity::warning,
         fmt::format("ld.so.cache has the forward-compatibility libcuda {}", shown(file.path)),
         {"it works on data-centre GPUs only (error 804 elsewhere), and hides the "
          "driver's own after an update"},
         {"remove its file in /etc/ld.so.conf.d, then `sudo ldconfig`"}});
  }
  check_wsl(seen, findings);
  return findings;
}

Findings check_loader_toolkits(const Observed& seen) {
  Findings findings;
  const auto* active = seen.active();
  std::vector<const ToolkitFacts*> told;
  for (const auto& folder : seen.loader.folders) {
    const auto* owner = folder.path.empty() ? nullptr : owner_of(seen, folder.path);
    const bool again = std::find(told.begin(), told.end(), owner) != told.end();
    if (!owner || !active || owner == active || owner->path == seen.conda || again) continue;
    told.push_back(owner);
    findings.push_back({"loader.other-toolkit",
                        Severity::warning,
                        fmt::format("LD_LIBRARY_PATH has {}", owner->shown()),
                        {fmt::format("the active toolkit is {}", active->shown()),
                         "programs load libraries of the one and are built with the other"},
                        {drop_advice(folder.written)}});
  }
  for (const auto& [places, shadow] : shadows(seen)) {
    findings.push_back(
        {"loader.shadowing",
         shadow.older ? Severity::warning : Severity::note,
         fmt::format("{} in {} {} those in {}", text::counted(shadow.names.size(), "library"),
                     shown(places.first), shadow.names.size() == 1 ? "hides" : "hide",
                     shown(places.second)),
         {few(shadow.names)},
         {drop_advice(places.first)}});
  }
  return findings;
}

Findings check_wheels(const Observed& seen) {
  Findings findings;
  for (const auto& folder : seen.loader.folders) {
    Lines names;
    bool older = false;
    std::string wheel;
    for (const auto& file : folder.libraries) {
      for (const auto& brought : seen.wheels) {
        const auto* own = library_named(brought, file.name);
        if (!own || own->path == file.path) continue;
        if (own->version && own->version == file.version) continue;
        std::string line = file.name;
        if (own->version && file.version) {
          line = fmt::format("{} {} instead of {}", file.name, file.version->text(),
                             own->version->text());
        }
        older |= own->version && file.version && *file.version < *own->version;
        names.push_back(std::move(line));
        wheel = brought.path;
      }
    }
    if (names.empty()) continue;
    findings.push_back(
        {"loader.over-wheels",
         older ? Severity::error : Severity::warning,
         fmt::format("LD_LIBRARY_PATH beats the libraries of the Python environment: "
                     "{} wins",
                     shown(folder.written)),
         {few(names), fmt::format("the environment's own are in {}", shown(wheel)),
          "PyTorch, TensorFlow and JAX were built with those that they bring"},
         {drop_advice(folder.written) + ", or activate with `cudaenv use VERSION "
                                        "--no-ld-path`"}});
  }
  return findings;
}

Findings check_loader_cache(const Observed& seen) {
  Findings findings;
  if (!seen.loader.stale.empty()) {
    Lines names;
    for (const auto& cached : seen.loader.stale) names.push_back(shown(cached.path));
    findings.push_back({"loader.cache-stale",
                        Severity::warning,
                        fmt::format("ld.so.cache lists {} that {} not there",
                                    text::counted(names.size(), "NVIDIA library"),
                                    names.size() == 1 ? "is" : "are"),
                        {few(names)},
                        {"sudo ldconfig"}});
  }
  const auto* active = seen.active();
  std::vector<const ToolkitFacts*> told;
  for (const auto& file : seen.loader.cached) {
    const auto* owner = owner_of(seen, file.path);
    const bool again = std::find(told.begin(), told.end(), owner) != told.end();
    if (!owner || owner == active || again) continue;
    told.push_back(owner);
    findings.push_back(
        {"loader.cache-toolkit",
         Severity::note,
         fmt::format("every program finds the libraries of {} through ld.so.cache", owner->shown()),
         {"whichever toolkit is active, where LD_LIBRARY_PATH does not name it"},
         {}});
  }
  return findings;
}

}  // namespace cudaenv::doctor
