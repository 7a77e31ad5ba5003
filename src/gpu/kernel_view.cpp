#include "gpu/kernel_view.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace cudaenv::gpu {
namespace {

constexpr std::string_view nvidia_vendor = "0x10de";

std::string read_word(const sys::Tree& tree, const std::string& path) {
  return text::visible(text::trimmed(tree.read(path, 256).value_or("")), 128);
}

// What stands behind "Label:" on a line of its own.
std::string field(std::string_view text, std::string_view label) {
  for (const auto line : text::lines(text)) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || text::trimmed(line.substr(0, colon)) != label) continue;
    return text::visible(text::trimmed(line.substr(colon + 1)), 128);
  }
  return {};
}

void read_pci(const sys::Tree& tree, KernelView& view) {
  const std::string root = "/sys/bus/pci/devices/";
  for (const auto& name : tree.list(root)) {
    const std::string folder = root + name;
    if (read_word(tree, folder + "/vendor") != nvidia_vendor) continue;
    const std::string kind = read_word(tree, folder + "/class");
    if (kind.starts_with("0x0680")) ++view.nvswitches;
    // Display controllers: VGA and 3D.
    if (!kind.starts_with("0x0300") && !kind.starts_with("0x0302")) continue;
    const auto driver = tree.link_target(folder + "/driver").value_or("");
    view.pci.push_back({text::visible(name, 64), read_word(tree, folder + "/device"),
                        text::visible(driver.substr(driver.rfind('/') + 1), 64)});
  }
}

// "video" of /etc/group's "video:x:44:alice".
std::string group_name(const sys::Tree& tree, unsigned id) {
  constexpr std::size_t largest = 1u << 20;
  const std::string groups = tree.read("/etc/group", largest).value_or("");
  for (const auto line : text::lines(groups)) {
    const auto fields = text::split(line, ':');
    if (fields.size() >= 3 && text::parse_unsigned(fields[2]) == id) {
      return text::visible(fields[0], 64);
    }
  }
  return {};
}

void read_nodes(const sys::Tree& tree, KernelView& view) {
  const auto add = [&](const std::string& path, const sys::Stat& stat) {
    const bool usable = tree.may_use(path, true);
    // Whom to join matters only where it is closed.
    view.nodes.push_back({text::visible(path, 64), usable, stat.mode,
                          usable ? std::string() : group_name(tree, stat.group)});
  };
  for (const auto& name : tree.list("/dev")) {
    if (!name.starts_with("nvidia") || name == "nvidia-modeset" || name == "nvidia-caps") continue;
    const std::string path = "/dev/" + name;
    const auto stat = tree.stat(path);
    if (!stat || stat->kind != sys::Kind::other) continue;
    add(path, *stat);
  }
  // WSL2 has one node for all.
  if (const auto stat = tree.stat("/dev/dxg"); stat && stat->kind == sys::Kind::other) {
    add("/dev/dxg", *stat);
  }
}

// The file of the nvidia module among what modprobe knows of a kernel; empty: none.
std::string module_file(const sys::Tree& tree, const std::string& kernel) {
  constexpr std::size_t largest = 4u << 20;
  const std::string folder = "/lib/modules/" + kernel;
  const std::string known = tree.read(folder + "/modules.dep", largest).value_or("");
  for (const auto line : text::lines(known)) {
    const auto file = line.substr(0, line.find(':'));
    const auto name = file.substr(file.rfind('/') + 1);
    if (name.starts_with("nvidia.ko")) return text::visible(folder + "/" + std::string(file));
  }
  return {};
}

void find_module_file(const sys::Tree& tree, KernelView& view) {
  const std::string running = read_word(tree, "/proc/sys/kernel/osrelease");
  if (!running.empty()) view.installed_module = module_file(tree, running);
  view.for_this_kernel = !view.installed_module.empty();
  for (const auto& kernel : tree.list("/lib/modules")) {
    if (!view.installed_module.empty()) return;
    view.installed_module = module_file(tree, kernel);
  }
}

std::optional<bool> read_secure_boot(const sys::Tree& tree) {
  // The firmware's variable: four bytes of attributes, then the value.
  const auto bytes =
      tree.read("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", 8);
  if (!bytes || bytes->size() != 5) return std::nullopt;
  return bytes->back() == 1;
}

std::string container_of(const sys::Tree& tree, const sys::Environment& environment) {
  if (environment.non_empty("KUBERNETES_SERVICE_HOST")) return "kubernetes";
  if (tree.link_stat("/run/.containerenv")) return "podman";
  if (tree.link_stat("/.dockerenv")) return "docker";
  if (environment.non_empty("SINGULARITY_CONTAINER") ||
      environment.non_empty("APPTAINER_CONTAINER")) {
    return "apptainer";
  }
  if (const auto named = environment.non_empty("container")) return text::visible(*named, 32);
  const std::string group = tree.read("/proc/1/cgroup", 4096).value_or("");
  for (const char* word : {"docker", "kubepods", "containerd", "lxc"}) {
    if (group.find(word) != std::string::npos) {
      return std::string_view(word) == "kubepods" ? "kubernetes" : word;
    }
  }
  return {};
}

bool runs_fabric_manager(const sys::Tree& tree) {
  for (const auto& name : tree.list("/proc")) {
    if (!text::parse_unsigned(name)) continue;
    // The kernel keeps 15 characters of a process's name.
    if (read_word(tree, "/proc/" + name + "/comm").starts_with("nv-fabricmanage")) return true;
  }
  return false;
}

}  // namespace

ModuleLine read_module_line(std::string_view text) {
  ModuleLine module;
  for (const auto line : text::lines(text)) {
    const auto at = line.find("Kernel Module");
    if (!line.starts_with("NVRM version:") || at == std::string_view::npos) continue;
    module.open = line.find("Open Kernel Module") != std::string_view::npos;
    for (const auto word : text::split(line.substr(at), ' ')) {
      auto version = Version::parse(text::trimmed(word));
      if (!version || version->parts().size() < 2) continue;
      module.version = std::move(version);
      return module;
    }
  }
  return module;
}

std::optional<Version> read_l4t(std::string_view text) {
  // "# R35 (release), REVISION: 4.1, GCID: 33958178, BOARD: t186ref, EABI: aarch64, DATE: ..."
  constexpr std::string_view label = "REVISION:";
  const auto release = text.find('R');
  const auto revision = text.find(label);
  if (release == std::string_view::npos || revision == std::string_view::npos) return std::nullopt;
  const auto major = text.substr(release + 1, text.find_first_of(" (", release) - release - 1);
  const auto rest = text::trimmed(text.substr(revision + label.size()));
  const auto minor = rest.substr(0, rest.find_first_of(", \n"));
  return Version::parse(std::string(major) + "." + std::string(minor));
}

GpuFacts read_gpu_information(std::string_view text) {
  GpuFacts gpu;
  gpu.name = field(text, "Model");
  gpu.uuid = field(text, "GPU UUID");
  gpu.bus_id = field(text, "Bus Location");
  // The module does not know it before the GPU's first use: "GPU-????????-????-...".
  if (gpu.uuid.find('?') != std::string::npos) gpu.uuid.clear();
  return gpu;
}

std::vector<GpuFacts> kernel_gpus(const sys::Tree& tree) {
  std::vector<GpuFacts> gpus;
  const std::string root = "/proc/driver/nvidia/gpus/";
  for (const auto& name : tree.list(root)) {
    const auto information = tree.read(root + name + "/information", 4096);
    if (!information) continue;
    gpus.push_back(read_gpu_information(*information));
    if (gpus.back().bus_id.empty()) gpus.back().bus_id = text::visible(name, 64);
  }
  return gpus;
}

KernelView kernel_view(const sys::Tree& tree, const sys::Environment& environment) {
  KernelView view;
  view.machine = tree.is_machine();
  view.module = read_module_line(tree.read("/proc/driver/nvidia/version", 4096).value_or(""));
  if (!view.module.version) {
    view.module.version = Version::parse(read_word(tree, "/sys/module/nvidia/version"));
  }
  read_pci(tree, view);
  read_nodes(tree, view);
  if (!view.module.version) find_module_file(tree, view);
  view.nouveau = tree.is_directory("/sys/module/nouveau");
  view.secure_boot = read_secure_boot(tree);
  const std::string kernel = text::lower(tree.read("/proc/version", 1024).value_or(""));
  view.wsl = kernel.find("microsoft") != std::string::npos;
  view.l4t = read_l4t(tree.read("/etc/nv_tegra_release", 1024).value_or(""));
  view.container = container_of(tree, view.machine ? environment : sys::Environment());
  if (view.nvswitches > 0) view.fabric_manager = runs_fabric_manager(tree);
  return view;
}

}  // namespace cudaenv::gpu
