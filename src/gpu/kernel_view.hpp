#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/facts.hpp"
#include "sys/environment.hpp"
#include "sys/tree.hpp"

namespace cudaenv::gpu {

// What /proc/driver/nvidia/version says of the loaded module, closed or open, of a Jetson too.
struct ModuleLine {
  std::optional<Version> version;
  bool open = false;
};
ModuleLine read_module_line(std::string_view text);

// "R35 (release), REVISION: 4.1" of /etc/nv_tegra_release is L4T 35.4.1.
std::optional<Version> read_l4t(std::string_view text);

// Model, UUID and bus of /proc/driver/nvidia/gpus/<bus>/information.
GpuFacts read_gpu_information(std::string_view text);

struct PciGpu {
  std::string bus_id;  // "0000:1b:00.0"
  std::string device;  // "0x2335"
  std::string driver;  // that serves it: "nvidia", "nouveau", "vfio-pci"; empty: none
};

struct DeviceNode {
  std::string path;
  bool usable = false;  // readable and writable, by this user or in an image by anybody
  unsigned mode = 0;
  std::string group{};  // its name; empty: it has none, or may be used
};

// What the kernel and the filesystem say of GPUs and their driver, without loading or running
// anything.
struct KernelView {
  bool machine = true;  // false: a tree that stands for another one
  ModuleLine module;    // the loaded one
  std::vector<PciGpu> pci;
  unsigned nvswitches = 0;
  std::vector<DeviceNode> nodes;  // /dev/nvidia0, nvidiactl, nvidia-uvm, ... that are there
  std::string installed_module;   // a file nvidia.ko of this or another kernel; empty: none
  bool for_this_kernel = false;   // it is for the running kernel
  bool nouveau = false;           // is loaded
  std::optional<bool> secure_boot;
  bool wsl = false;
  std::optional<Version> l4t;   // a Jetson
  std::string container;        // "docker", "podman", "kubernetes", ...; empty: none
  bool fabric_manager = false;  // runs
};

// The GPUs of /proc/driver/nvidia/gpus, without their capability. The kernel module answers, and a
// process that asks one which is stuck waits without end: for when the libraries did not hang.
std::vector<GpuFacts> kernel_gpus(const sys::Tree& tree);

// Reads the tree; `environment` tells containers apart, and is left out for another machine's tree.
KernelView kernel_view(const sys::Tree& tree, const sys::Environment& environment);

}  // namespace cudaenv::gpu
