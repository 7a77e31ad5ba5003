#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doctor/checks.hpp"

namespace cudaenv::doctor {
namespace {

using compat::Severity;

const gpu::DeviceNode* node(const gpu::KernelView& kernel, std::string_view path) {
  const auto found = std::find_if(kernel.nodes.begin(), kernel.nodes.end(),
                                  [&](const auto& one) { return one.path == path; });
  return found == kernel.nodes.end() ? nullptr : &*found;
}

void find_missing_nodes(const gpu::KernelView& kernel, Findings& findings) {
  std::vector<std::string> missing;
  for (const char* path : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"}) {
    if (!node(kernel, path)) missing.emplace_back(path);
  }
  // A container may have been given another GPU than the first.
  const bool numbered = std::any_of(kernel.nodes.begin(), kernel.nodes.end(), [](const auto& one) {
    return one.path.size() > 11 && text::is_digit(one.path[11]);
  });
  if (numbered) std::erase(missing, "/dev/nvidia0");
  if (missing.empty()) return;
  const bool in_container = !kernel.container.empty();
  findings.push_back(
      {"device.missing",
       Severity::error,
       fmt::format("there is no {}", text::join(missing, ", no ")),
       {"programs reach the driver through these device nodes; without nvidia-uvm they get error "
        "999"},
       {in_container
            ? "start the container with `--gpus all` (podman: `--device nvidia.com/gpu=all`)"
            : "make them with `sudo nvidia-modprobe -c 0 -u`"}});
}

}  // namespace

Findings check_device_nodes(const Observed& seen) {
  Findings findings;
  const auto& kernel = seen.driver.kernel;
  // WSL2 has one node of its own, Jetson other ones; an image has none.
  if (!kernel.module.version || kernel.pci.empty() || kernel.l4t || kernel.wsl) return findings;
  if (seen.driver.facts.state != DriverState::no_library) find_missing_nodes(kernel, findings);
  std::vector<std::string> closed;
  unsigned mode = 0;
  std::string group;
  for (const auto& one : kernel.nodes) {
    if (one.usable) continue;
    closed.push_back(one.path);
    mode = one.mode;
    group = one.group;
  }
  if (closed.empty()) return findings;
  // Root's own group is nobody's to join.
  const bool by_group = (mode & 0060u) == 0060u && !group.empty() && group != "root";
  findings.push_back(
      {"device.permission",
       Severity::error,
       fmt::format("you may not use {} (mode {:04o})", text::join(closed, ", "), mode),
       {"the driver makes them with the mode of its option NVreg_DeviceFileMode"},
       {by_group ? fmt::format("join the group that owns them: `sudo usermod -aG {} \"$USER\"`, "
                               "then log in again",
                               text::shell_quoted(group))
                 : std::string("let the driver make them for everybody: `echo options nvidia "
                               "NVreg_DeviceFileMode=0666 | sudo tee "
                               "/etc/modprobe.d/nvidia-device-files.conf`, then reboot")}});
  return findings;
}

Findings check_gpus(const Observed& seen) {
  Findings findings;
  const auto& report = seen.driver;
  const auto& kernel = report.kernel;
  const auto whole = [](const std::vector<GpuFacts>& gpus) {
    return std::count_if(gpus.begin(), gpus.end(), [](const auto& gpu) { return !gpu.mig; });
  };
  const bool instances = std::any_of(report.nvml.gpus.begin(), report.nvml.gpus.end(),
                                     [](const auto& gpu) { return gpu.mig; });
  const auto visible = seen.environment.get("CUDA_VISIBLE_DEVICES");
  if (visible && report.cuda.works() && !instances &&
      whole(report.cuda.gpus) < whole(report.nvml.gpus)) {
    findings.push_back(
        {"gpu.hidden",
         Severity::note,
         fmt::format("CUDA_VISIBLE_DEVICES is `{}`: programs see {} of {}", text::visible(*visible),
                     whole(report.cuda.gpus),
                     text::counted(static_cast<std::uint64_t>(whole(report.nvml.gpus)), "GPU")),
         {"its numbers follow CUDA_DEVICE_ORDER, which is not nvidia-smi's order "
          "unless it is PCI_BUS_ID"},
         {}});
  }
  if (report.nvml.prohibited) {
    findings.push_back({"gpu.prohibited",
                        Severity::warning,
                        "a GPU is set to take no CUDA program (compute mode Prohibited)",
                        {},
                        {"sudo nvidia-smi -c DEFAULT"}});
  }
  if (report.nvml.exclusive) {
    findings.push_back({"gpu.exclusive",
                        Severity::note,
                        "a GPU takes one process at a time (compute mode Exclusive Process)",
                        {"a second one gets error 46"},
                        {}});
  }
  if (report.nvml.fabric_waits && report.cuda.status != 802) {
    findings.push_back({"driver.fabric-manager",
                        Severity::error,
                        "a GPU behind NVSwitch waits for the fabric manager",
                        {"CUDA programs get error 802 until it has run"},
                        {"sudo systemctl enable --now nvidia-fabricmanager"}});
  }
  for (const auto& device : kernel.pci) {
    if (device.driver == "nouveau" && kernel.module.version) {
      findings.push_back({"gpu.nouveau",
                          Severity::warning,
                          fmt::format("the GPU at {} belongs to nouveau", device.bus_id),
                          {"it cannot run CUDA"},
                          {"blacklist nouveau and reboot"}});
    } else if (device.driver == "vfio-pci") {
      findings.push_back({"gpu.passed-through",
                          Severity::note,
                          fmt::format("the GPU at {} is kept for a virtual machine", device.bus_id),
                          {},
                          {}});
    }
  }
  return findings;
}

}  // namespace cudaenv::doctor
