#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doctor/checks.hpp"

namespace cudaenv::doctor {
namespace {

using compat::Finding;
using compat::Severity;
using ProbeEnd = gpu::LibraryProbe::End;
using Lines = std::vector<std::string>;

// Whether there is a GPU to drive, by what the hardware shows.
bool has_gpu(const gpu::KernelView& kernel) {
  const bool dxg = std::any_of(kernel.nodes.begin(), kernel.nodes.end(),
                               [](const auto& node) { return node.path == "/dev/dxg"; });
  return !kernel.pci.empty() || dxg || kernel.l4t;
}

std::string version_text(const std::optional<Version>& version) {
  return version ? version->text() : "of unknown version";
}

// What nvidia-smi had to say, where it refused.
void add_smi(const gpu::SmiAnswer& smi, Lines& why) {
  if (smi.end == gpu::SmiAnswer::End::refused) {
    why.push_back(fmt::format("nvidia-smi ends with status {}: {}", smi.status, smi.said));
  } else if (smi.end == gpu::SmiAnswer::End::hung) {
    why.emplace_back("nvidia-smi does not answer");
  }
}

Finding container_without_gpus(const gpu::KernelView& kernel) {
  Lines why{"a container gets the driver's libraries and devices from the host when it is started"};
  if (kernel.module.version) {
    why.insert(why.begin(),
               fmt::format("the host's kernel module is {}", kernel.module.version->text()));
  }
  const bool podman = kernel.container == "podman";
  return {"container.no-gpus",
          Severity::error,
          fmt::format("this {} container was started without GPUs", kernel.container),
          std::move(why),
          {podman ? "start it with `podman run --device nvidia.com/gpu=all ...`"
                  : "start it with `docker run --gpus all ...`",
           "on the host, install nvidia-container-toolkit if that is refused"}};
}

Finding absent(const Observed& seen) {
  const auto& kernel = seen.driver.kernel;
  if (!seen.machine) {
    return {"driver.absent",
            Severity::note,
            "there is no NVIDIA driver in this tree",
            {"an image needs none: the host's is mounted into its containers"},
            {}};
  }
  if (kernel.wsl && has_gpu(kernel)) {
    return {"driver.absent",
            Severity::error,
            "WSL2 has no libcuda in /usr/lib/wsl/lib",
            {"Windows brings it with its own NVIDIA driver"},
            {"install NVIDIA's driver in Windows, then `wsl --shutdown`"}};
  }
  if (kernel.l4t) {
    return {"driver.absent",
            Severity::error,
            fmt::format("this Jetson (L4T {}) has no libcuda", kernel.l4t->text()),
            {"its driver is part of L4T"},
            {"sudo apt-get install nvidia-l4t-cuda"}};
  }
  if (!has_gpu(kernel)) {
    Lines why{"toolkits can be installed and programs compiled all the same"};
    add_smi(seen.driver.smi, why);
    return {"driver.absent",
            Severity::note,
            "there is no NVIDIA GPU in this machine and no driver",
            std::move(why),
            {}};
  }
  if (!kernel.container.empty()) return container_without_gpus(kernel);
  Lines why;
  if (kernel.nouveau) why.emplace_back("the free driver nouveau has the GPU; it cannot run CUDA");
  return {"driver.absent",
          Severity::error,
          fmt::format("there is {} and no NVIDIA driver",
                      text::counted(kernel.pci.size(), "NVIDIA GPU")),
          std::move(why),
          {"install the driver: `sudo ubuntu-drivers install`, or your distribution's package"}};
}

Finding no_module(const Observed& seen) {
  const auto& kernel = seen.driver.kernel;
  Lines why;
  Lines help;
  if (kernel.nouveau) {
    why.emplace_back("nouveau is loaded and holds the GPU");
    help.emplace_back(
        "blacklist nouveau, then `sudo update-initramfs -u` or `sudo dracut -f`, and "
        "reboot");
  }
  if (kernel.installed_module.empty()) {
    why.emplace_back("no kernel has a module nvidia.ko: it was not built, or is not installed");
    help.emplace_back("install the driver's kernel package, or `sudo dkms autoinstall`");
  } else if (!kernel.for_this_kernel) {
    why.push_back(
        fmt::format("the module was built for another kernel: `{}`", kernel.installed_module));
    help.emplace_back("install this kernel's headers and run `sudo dkms autoinstall`");
  } else {
    if (kernel.secure_boot == true) {
      why.emplace_back("Secure Boot is on: a module without an enrolled signature is refused");
      help.emplace_back(
          "enrol the key with `sudo mokutil --import /var/lib/dkms/mok.pub`, then "
          "reboot");
    }
    help.emplace_back("load it with `sudo modprobe nvidia`; `sudo dmesg` says why that fails");
  }
  add_smi(seen.driver.smi, why);
  const bool expected = has_gpu(kernel);
  return {"driver.no-module", expected ? Severity::error : Severity::note,
          expected ? "the driver's library is there, its kernel module is not loaded"
                   : "the driver's library is there, and no NVIDIA GPU on this node",
          std::move(why), expected ? std::move(help) : Lines{}};
}

Finding mismatch(const Observed& seen) {
  const auto& facts = seen.driver.facts;
  Lines why{"the driver was upgraded while the old kernel module stayed loaded"};
  add_smi(seen.driver.smi, why);
  return {"driver.mismatch",
          Severity::error,
          fmt::format("the loaded kernel module is {} and the driver's library {}",
                      version_text(facts.module_version), version_text(facts.library_version)),
          std::move(why),
          {"reboot, or stop what uses the GPU and run `sudo rmmod nvidia_uvm nvidia_drm "
           "nvidia_modeset nvidia && sudo modprobe nvidia`"}};
}

Finding no_device(const Observed& seen) {
  const auto& kernel = seen.driver.kernel;
  if (const auto hidden = seen.environment.get("CUDA_VISIBLE_DEVICES")) {
    return {
        "gpu.hidden",
        Severity::warning,
        fmt::format("CUDA_VISIBLE_DEVICES is `{}`: programs see no GPU", text::visible(*hidden)),
        {"an empty value, -1 and a GPU that is not there hide all that come after"},
        {"unset CUDA_VISIBLE_DEVICES"}};
  }
  if (seen.driver.nvml.partitioned) {
    return {"gpu.no-instance",
            Severity::error,
            "a GPU is partitioned (MIG) and has no instance that programs could use",
            {"in MIG mode CUDA sees instances, never the whole GPU"},
            {"make one of the sizes that `nvidia-smi mig -lgip` lists: `sudo nvidia-smi mig -cgi "
             "ID -C`, or leave the mode with `sudo nvidia-smi -mig 0`"}};
  }
  Lines why;
  add_smi(seen.driver.smi, why);
  if (!has_gpu(kernel)) {
    return {"driver.no-device",
            Severity::note,
            "the driver is there, and no NVIDIA GPU on this node",
            std::move(why),
            {}};
  }
  if (!kernel.container.empty()) return container_without_gpus(kernel);
  return {"driver.no-device",
          Severity::error,
          "the driver finds no GPU that it can use",
          std::move(why),
          {"see what it says with `sudo dmesg | grep -i -e nvrm -e nvidia`"}};
}

// What cuInit returns where the driver is there and does not work. Source: CUresult in cuda.h; the
// causes are those of docs/doctor.md.
struct InitFailure {
  int status;
  const char* id;
  const char* name;
  const char* why;
  const char* help;
};
constexpr std::array init_failures{
    InitFailure{3, "driver.not-initialised", "CUDA_ERROR_NOT_INITIALIZED",
                "the driver could not start: its module is in a bad state, or memory is short",
                "reboot; `sudo dmesg` says more"},
    InitFailure{34, "loader.stubs", "CUDA_ERROR_STUB_LIBRARY",
                "the libcuda that programs load is a stub to link against",
                "take the folder `stubs` off LD_LIBRARY_PATH"},
    InitFailure{35, "driver.insufficient", "cudaErrorInsufficientDriver",
                "the driver is older than the libcuda or the library in front of it",
                "update the driver"},
    InitFailure{46, "gpu.busy", "CUDA_ERROR_DEVICE_UNAVAILABLE",
                "another process has the GPU to itself (compute mode Exclusive Process)",
                "see who with `nvidia-smi`, or `sudo nvidia-smi -c DEFAULT`"},
    InitFailure{802, "driver.fabric-manager", "CUDA_ERROR_SYSTEM_NOT_READY",
                "GPUs behind NVSwitch wait for the fabric manager, which must have the driver's "
                "version",
                "sudo systemctl enable --now nvidia-fabricmanager"},
    InitFailure{803, "driver.mismatch", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
                "kernel module and libcuda are of different versions",
                "reboot; in a container, start it anew"},
    InitFailure{804, "driver.compat-unsupported", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
                "a libcuda of the cuda-compat package is in front, which this GPU does not allow",
                "take it off LD_LIBRARY_PATH and /etc/ld.so.conf.d, and update the driver instead"},
    InitFailure{805, "driver.mps", "CUDA_ERROR_MPS_CONNECTION_FAILED",
                "programs look for an MPS daemon that does not run or belongs to somebody else",
                "unset CUDA_MPS_PIPE_DIRECTORY, or start it with `nvidia-cuda-mps-control -d`"},
    InitFailure{999, "driver.unknown-error", "CUDA_ERROR_UNKNOWN",
                "most often the module nvidia_uvm is in a bad state after a suspend, or its device "
                "nodes are missing",
                "sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm"},
};

Finding broken(const Observed& seen) {
  const auto& cuda = seen.driver.cuda;
  const std::string help = "reboot; `sudo dmesg | grep -i -e nvrm -e xid` says what the driver met";
  Lines why{fmt::format("it is `{}`", seen.driver.libcuda)};
  if (cuda.end == ProbeEnd::hung) {
    add_smi(seen.driver.smi, why);
    return {"driver.hangs",
            Severity::error,
            fmt::format("libcuda does not come back from `{}`", cuda.call),
            std::move(why),
            {help}};
  }
  if (cuda.end == ProbeEnd::crashed) {
    if (!cuda.detail.empty()) why.push_back(fmt::format("it says: {}", cuda.detail));
    const std::string how = cuda.signal ? fmt::format("crashes (signal {})", cuda.signal)
                                        : std::string("ends the process");
    return {"driver.crashes",
            Severity::error,
            fmt::format("libcuda {} in `{}`", how, cuda.call),
            std::move(why),
            {"install the driver again", help}};
  }
  if (cuda.end == ProbeEnd::unusable) {
    return {"driver.unusable",
            Severity::error,
            "libcuda.so.1 cannot be loaded",
            {fmt::format("the loader says: {}", cuda.detail)},
            {"install the driver again"}};
  }
  const int status = cuda.status.value_or(-1);
  const auto* known = std::find_if(init_failures.begin(), init_failures.end(),
                                   [&](const auto& failure) { return failure.status == status; });
  if (known == init_failures.end()) {
    add_smi(seen.driver.smi, why);
    return {"driver.fails",
            Severity::error,
            fmt::format("cuInit fails with {}", status),
            std::move(why),
            {help}};
  }
  why.emplace_back(known->why);
  if (status == 802 && seen.driver.kernel.nvswitches > 0) {
    why.emplace_back(seen.driver.kernel.fabric_manager
                         ? "nv-fabricmanager runs: its version must be the driver's"
                         : "no process nv-fabricmanager runs here");
  }
  return {known->id,
          Severity::error,
          fmt::format("cuInit fails with {} ({})", status, known->name),
          std::move(why),
          {known->help}};
}

// The container toolkit brings NVML for "utility" and libcuda for "compute" only.
Finding container_without_libcuda(const Observed& seen) {
  const auto& kernel = seen.driver.kernel;
  const auto given = seen.environment.get("NVIDIA_DRIVER_CAPABILITIES");
  Lines why{"nvidia-smi works without it, programs that use CUDA do not"};
  if (given) {
    why.push_back(fmt::format("NVIDIA_DRIVER_CAPABILITIES is `{}`: libcuda comes with `compute`",
                              text::visible(*given)));
  }
  return {"driver.no-library",
          Severity::error,
          fmt::format("this {} container has GPUs and no libcuda.so.1", kernel.container),
          std::move(why),
          {"start it with `-e NVIDIA_DRIVER_CAPABILITIES=compute,utility`"}};
}

Finding no_library(const Observed& seen) {
  const auto& kernel = seen.driver.kernel;
  if (!kernel.container.empty()) {
    const bool has_driver = seen.driver.nvml.driver || seen.driver.smi.driver;
    return has_driver ? container_without_libcuda(seen) : container_without_gpus(kernel);
  }
  return {"driver.no-library",
          Severity::error,
          fmt::format("the kernel module {} is loaded, and there is no libcuda.so.1",
                      version_text(seen.driver.facts.module_version)),
          {"the driver's compute package is not installed, or the loader does not know its folder"},
          {"install it (libnvidia-compute-NNN, libcuda1 or nvidia-driver-cuda), then "
           "`sudo ldconfig`"}};
}

}  // namespace

Findings check_driver_state(const Observed& seen) {
  if (seen.assumed_driver) return {};
  switch (seen.driver.facts.state) {
    case DriverState::working:
    case DriverState::unknown:
      return {};
    case DriverState::absent:
      return {absent(seen)};
    case DriverState::no_module:
      return {no_module(seen)};
    case DriverState::no_library:
      return {no_library(seen)};
    case DriverState::no_device:
      return {no_device(seen)};
    case DriverState::mismatch:
      return {mismatch(seen)};
    case DriverState::broken:
      return {broken(seen)};
  }
  return {};
}

Findings check_driver_libraries(const Observed& seen) {
  Findings findings;
  const auto& report = seen.driver;
  const auto& facts = report.facts;
  if (seen.assumed_driver) return findings;
  if (report.cuda.works() && !report.nvml.works() && report.nvml.end != ProbeEnd::not_asked) {
    const auto& nvml = report.nvml;
    std::string why = nvml.status ? fmt::format("nvmlInit fails with {}", *nvml.status)
                                  : fmt::format("it stopped in `{}`", nvml.call);
    if (nvml.end == ProbeEnd::not_found) why = "there is no libnvidia-ml.so.1";
    findings.push_back({"driver.nvml",
                        Severity::warning,
                        "CUDA works and NVML does not: nvidia-smi and monitors will fail",
                        {std::move(why)},
                        {"install the driver's NVML library of its version"}});
  }
  if (facts.compat_library && report.cuda.works()) {
    findings.push_back(
        {"driver.compat-in-front",
         Severity::warning,
         fmt::format("programs load the forward-compatibility libcuda `{}`", report.libcuda),
         {fmt::format("the kernel module is {}", version_text(facts.module_version)),
          "the CUDA version that nvidia-smi shows is that library's; it works on data-centre GPUs "
          "only, and hides the driver's own after an update"},
         {"keep it in front only while a toolkit needs it"}});
  }
  return findings;
}

Findings check_ceiling(const Observed& seen) {
  const auto& ceiling = seen.driver.facts.cuda;
  const auto* active = seen.active();
  const auto version = active ? active->version() : std::nullopt;
  if (!ceiling || !version || version->first(2) == *ceiling) return {};
  return {{"driver.ceiling",
           Severity::note,
           fmt::format("the driver runs CUDA up to {}; the active toolkit is {}", ceiling->text(),
                       version->text()),
           {"nvidia-smi shows the driver's number, whichever toolkit is active"},
           {}}};
}

}  // namespace cudaenv::doctor
