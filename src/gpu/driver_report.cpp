#include "gpu/driver_report.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace cudaenv::gpu {
namespace {

using ProbeEnd = LibraryProbe::End;

// CUresult.
constexpr int no_device = 100;

// Folders that the loader searches for libcuda besides what its cache lists.
constexpr std::initializer_list<const char*> library_folders{"/usr/lib/x86_64-linux-gnu",
                                                             "/usr/lib64",
                                                             "/usr/lib/aarch64-linux-gnu",
                                                             "/usr/lib/aarch64-linux-gnu/tegra",
                                                             "/usr/lib/aarch64-linux-gnu/nvidia",
                                                             "/usr/lib/wsl/lib",
                                                             "/lib64",
                                                             "/usr/lib"};

bool hung(const DriverReport& report) {
  return report.cuda.end == ProbeEnd::hung || report.nvml.end == ProbeEnd::hung;
}

std::string folder_name(std::string_view path) {
  const auto end = path.rfind('/');
  if (end == std::string_view::npos || end == 0) return {};
  const auto folder = path.substr(0, end);
  return std::string(folder.substr(folder.rfind('/') + 1));
}

std::optional<Version> first_of(std::initializer_list<std::optional<Version>> versions) {
  for (const auto& version : versions) {
    if (version) return version;
  }
  return std::nullopt;
}

bool library_differs(const DriverFacts& facts) {
  return facts.module_version && facts.library_version &&
         *facts.module_version != *facts.library_version && !facts.compat_library;
}

DriverState state_without_answer(const DriverReport& report) {
  const bool module = report.kernel.module.version.has_value();
  const bool library = !report.libcuda.empty();
  // NVML speaks for the module, and nvidia-smi for NVML: there is a driver, and no libcuda to it.
  if (!library && (report.smi.driver || report.nvml.driver)) return DriverState::no_library;
  // WSL2 and Jetson have no such module.
  if (report.kernel.wsl || report.kernel.l4t) {
    return library ? DriverState::unknown : DriverState::absent;
  }
  // Nothing of another machine's tree was asked, so nothing is known to work.
  if (module && library) {
    return library_differs(report.facts) ? DriverState::mismatch : DriverState::unknown;
  }
  if (module) return DriverState::no_library;
  return library ? DriverState::no_module : DriverState::absent;
}

DriverState state_of(const DriverReport& report) {
  const auto& cuda = report.cuda;
  if (cuda.works()) return cuda.gpus.empty() ? DriverState::no_device : DriverState::working;
  const bool nvml_differs = report.nvml.status == nvml_mismatch || report.smi.library;
  if (nvml_differs || (cuda.status && library_differs(report.facts))) return DriverState::mismatch;
  switch (cuda.end) {
    case ProbeEnd::not_asked:
    case ProbeEnd::not_found:
      return state_without_answer(report);
    case ProbeEnd::unusable:
    case ProbeEnd::crashed:
    case ProbeEnd::hung:
      return DriverState::broken;
    case ProbeEnd::answered:
      break;
  }
  const bool module = report.kernel.module.version || report.kernel.wsl || report.kernel.l4t;
  if (cuda.status == no_device) return module ? DriverState::no_device : DriverState::no_module;
  // Without its module libcuda fails with 999 or another number, by its age.
  const bool other_library = is_stub_library(report.libcuda) || report.facts.compat_library;
  return module || other_library ? DriverState::broken : DriverState::no_module;
}

// All GPUs, from who knows most of them.
std::vector<GpuFacts> all_gpus(const DriverReport& report) {
  if (!report.nvml.gpus.empty()) return report.nvml.gpus;
  if (!report.cuda.gpus.empty()) return report.cuda.gpus;
  if (!report.smi.gpus.empty()) return report.smi.gpus;
  if (!report.kernel_gpus.empty()) return report.kernel_gpus;
  std::vector<GpuFacts> gpus;
  for (const auto& device : report.kernel.pci) {
    GpuFacts gpu;
    gpu.bus_id = device.bus_id;
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

// The same GPU by its UUID, else by its place: orders differ from source to source.
bool same(const GpuFacts& one, const GpuFacts& other) {
  if (!one.uuid.empty() && !other.uuid.empty()) return one.uuid == other.uuid;
  // "00000000:1B:00.0" and "0000:1b:00.0".
  const auto place = [](const std::string& bus) {
    const auto colon = bus.find(':');
    return colon == std::string::npos ? std::string() : text::lower(bus.substr(colon));
  };
  return !one.bus_id.empty() && !one.mig && !other.mig && place(one.bus_id) == place(other.bus_id);
}

void complete(std::vector<GpuFacts>& gpus, const std::vector<GpuFacts>& others) {
  for (auto& gpu : gpus) {
    const auto found = std::find_if(others.begin(), others.end(),
                                    [&](const GpuFacts& other) { return same(gpu, other); });
    if (found == others.end()) continue;
    if (gpu.name.empty()) gpu.name = found->name;
    if (gpu.uuid.empty()) gpu.uuid = found->uuid;
    if (!gpu.capability) gpu.capability = found->capability;
    if (!gpu.memory_bytes) gpu.memory_bytes = found->memory_bytes;
  }
}

// A tree's libcuda: nothing is loaded, so the usual folders are looked into.
std::string library_in(const sys::Tree& tree) {
  for (const char* folder : library_folders) {
    const auto found = tree.resolve(std::string(folder) + "/libcuda.so.1");
    if (found && tree.is_file(*found)) return *found;
  }
  return {};
}

}  // namespace

bool is_compat_library(std::string_view path) {
  const std::string folder = folder_name(path);
  return folder == "compat" || folder == "compat_orin";
}

bool is_stub_library(std::string_view path) { return folder_name(path) == "stubs"; }

std::optional<Version> version_of_library(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  constexpr std::string_view ending = ".so.";
  const auto at = name.find(ending);
  if (at == std::string_view::npos) return std::nullopt;
  auto version = Version::parse(name.substr(at + ending.size()));
  if (!version || version->parts().size() < 2) return std::nullopt;  // libcuda.so.1
  return version;
}

void conclude(DriverReport& report) {
  auto& facts = report.facts;
  if (!report.cuda.file.empty()) report.libcuda = report.cuda.file;
  facts.module_version = report.kernel.module.version;
  facts.open_module = report.kernel.module.open;
  facts.compat_library = is_compat_library(report.libcuda);
  facts.library_version =
      first_of({version_of_library(report.libcuda), version_of_library(report.nvml.file),
                report.nvml.driver, report.smi.library, report.smi.driver});
  // WSL2's libcuda.so.1 has no number and its module none that can be read.
  if (!facts.module_version) {
    facts.module_version = first_of({report.nvml.driver, report.smi.driver});
  }
  facts.cuda = first_of({report.cuda.cuda, report.nvml.cuda, report.smi.cuda});
  if (report.cuda.status.value_or(0) != 0) facts.error = report.cuda.status;
  facts.state = state_of(report);

  report.gpus = all_gpus(report);
  for (const auto* others :
       {&report.cuda.gpus, &report.nvml.gpus, &report.smi.gpus, &report.kernel_gpus}) {
    complete(report.gpus, *others);
  }
  report.visible.clear();
  for (const auto& gpu : report.cuda.gpus) report.visible.push_back(gpu.uuid);
}

DriverReport driver_report(const sys::Tree& tree, const sys::Environment& environment,
                           const Interrupt& interrupt, std::chrono::milliseconds limit) {
  DriverReport report;
  report.kernel = kernel_view(tree, environment);
  if (tree.is_machine()) {
    report.cuda = probe_cuda(interrupt, limit);
    if (!hung(report)) report.nvml = probe_nvml(interrupt, limit);
    if (!hung(report) && !report.nvml.works()) report.smi = ask_smi(environment, interrupt, limit);
  } else {
    report.libcuda = library_in(tree);
  }
  if (!hung(report) && report.nvml.gpus.empty() && report.cuda.gpus.empty()) {
    report.kernel_gpus = kernel_gpus(tree);
  }
  conclude(report);
  return report;
}

}  // namespace cudaenv::gpu
