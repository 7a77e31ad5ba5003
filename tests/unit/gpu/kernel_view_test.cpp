#include "gpu/kernel_view.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "support/temp_dir.hpp"
#include "sys/file.hpp"

using namespace cudaenv;
using cudaenv::test::TempDir;

namespace {

std::string text(const std::optional<Version>& version) { return version ? version->text() : "-"; }

gpu::KernelView view(const TempDir& dir) {
  return gpu::kernel_view(sys::Tree(dir.path()), sys::Environment());
}

void add_pci(const TempDir& dir, const std::string& bus, const std::string& kind,
             const std::string& driver) {
  const std::string folder = "sys/bus/pci/devices/" + bus;
  dir.make_file(folder + "/vendor", "0x10de\n");
  dir.make_file(folder + "/device", "0x2335\n");
  dir.make_file(folder + "/class", kind + "\n");
  if (!driver.empty()) {
    sys::create_symlink("../../../../bus/pci/drivers/" + driver, dir / (folder + "/driver"));
  }
}

}  // namespace

TEST_CASE("the kernel module's line is read in all its shapes") {
  const auto closed = gpu::read_module_line(
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n"
      "GCC version:  gcc version 11.4.0 (Ubuntu 11.4.0-1ubuntu1~22.04)\n");
  CHECK(text(closed.version) == "535.104.05");
  CHECK_FALSE(closed.open);
  const auto open = gpu::read_module_line(
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  "
      "(dvs-builder@U22-I3-AM02)  Tue Sep 23 10:11:16 UTC 2025\n");
  CHECK(text(open.version) == "580.95.05");
  CHECK(open.open);
  const auto jetson = gpu::read_module_line(
      "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.3.0  Release Build\n");
  CHECK(text(jetson.version) == "540.3.0");
  CHECK(text(gpu::read_module_line("").version) == "-");
  CHECK(text(gpu::read_module_line("GCC version:  gcc version 11.4.0\n").version) == "-");
  CHECK(text(gpu::read_module_line("NVRM version: NVIDIA UNIX Kernel Module\n").version) == "-");
}

TEST_CASE("a Jetson's release is read from its release file") {
  CHECK(text(gpu::read_l4t("# R35 (release), REVISION: 4.1, GCID: 33958178, BOARD: t186ref\n")) ==
        "35.4.1");
  CHECK(text(gpu::read_l4t("# R36 (release), REVISION: 3.0, GCID: 36106755\n")) == "36.3.0");
  CHECK(text(gpu::read_l4t("# R36\n")) == "-");
  CHECK(text(gpu::read_l4t("")) == "-");
}

TEST_CASE("GPUs, NVSwitches and who serves them are read from the PCI bus") {
  const TempDir dir;
  add_pci(dir, "0000:1b:00.0", "0x030200", "nvidia");
  add_pci(dir, "0000:1c:00.0", "0x030000", "nouveau");
  add_pci(dir, "0000:1c:00.1", "0x040300", "snd_hda_intel");
  add_pci(dir, "0000:05:00.0", "0x068000", "nvidia-nvswitch");
  dir.make_file("sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n");
  const auto seen = view(dir);
  REQUIRE(seen.pci.size() == 2);
  CHECK(seen.pci[0].bus_id == "0000:1b:00.0");
  CHECK(seen.pci[0].driver == "nvidia");
  CHECK(seen.pci[0].device == "0x2335");
  CHECK(seen.pci[1].driver == "nouveau");
  CHECK(seen.nvswitches == 1);
  CHECK_FALSE(seen.fabric_manager);
}

TEST_CASE("a running fabric manager is found by its process") {
  const TempDir dir;
  add_pci(dir, "0000:05:00.0", "0x068000", "");
  dir.make_file("proc/4711/comm", "nv-fabricmanage\n");
  CHECK(view(dir).fabric_manager);
}

TEST_CASE("an installed module of another kernel is told from one of the running kernel") {
  const TempDir dir;
  dir.make_file("proc/sys/kernel/osrelease", "6.8.0-50-generic\n");
  dir.make_file("lib/modules/6.8.0-49-generic/modules.dep",
                "kernel/fs/ext4.ko: kernel/lib/crc.ko\nupdates/dkms/nvidia.ko.zst: kernel/i.ko\n");
  dir.make_file("lib/modules/6.8.0-50-generic/modules.dep", "kernel/fs/ext4.ko:\n");
  auto seen = view(dir);
  CHECK(seen.installed_module == "/lib/modules/6.8.0-49-generic/updates/dkms/nvidia.ko.zst");
  CHECK_FALSE(seen.for_this_kernel);
  dir.make_file("lib/modules/6.8.0-50-generic/modules.dep", "kernel/nvidia-580/nvidia.ko:\n");
  seen = view(dir);
  CHECK(seen.for_this_kernel);
}

TEST_CASE("Secure Boot, nouveau, WSL2 and the module's own version file are seen") {
  const TempDir dir;
  dir.make_file("sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
                std::string("\x06\0\0\0\x01", 5));
  dir.make_dir("sys/module/nouveau");
  dir.make_file("sys/module/nvidia/version", "550.54.14\n");
  dir.make_file("proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2 (root@x)\n");
  const auto seen = view(dir);
  CHECK(seen.secure_boot == true);
  CHECK(seen.nouveau);
  CHECK(seen.wsl);
  CHECK(text(seen.module.version) == "550.54.14");
  const TempDir other;
  CHECK_FALSE(view(other).secure_boot);
  CHECK_FALSE(view(other).wsl);
}

TEST_CASE("containers are told apart") {
  const auto container = [](const std::string& file, const std::string& content) {
    const TempDir dir;
    dir.make_file(file, content);
    return view(dir).container;
  };
  CHECK(container(".dockerenv", "") == "docker");
  CHECK(container("run/.containerenv", "") == "podman");
  CHECK(container("proc/1/cgroup", "0::/kubepods/besteffort/pod1\n") == "kubernetes");
  CHECK(container("proc/1/cgroup", "0::/init.scope\n") == "");
}

TEST_CASE("GPUs of /proc are read, and a number that the module does not know yet is absent") {
  const TempDir dir;
  dir.make_file("proc/driver/nvidia/gpus/0000:1b:00.0/information",
                "Model: \t\t NVIDIA H200\nIRQ:   \t\t 120\nGPU UUID: \t GPU-" +
                    std::string(8, '?') +
                    "\n"
                    "Bus Location: \t 0000:1b:00.0\n");
  const auto gpus = gpu::kernel_gpus(sys::Tree(dir.path()));
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].name == "NVIDIA H200");
  CHECK(gpus[0].uuid == "");
  CHECK(gpus[0].bus_id == "0000:1b:00.0");
}

TEST_CASE("device nodes are seen with their mode") {
  const TempDir dir;
  dir.make_dir("dev");
  // No device can be made without being root; what is no file, folder or link counts as one.
  for (const char* name : {"nvidiactl", "nvidia0", "nvidia-uvm", "sda"}) {
    REQUIRE(::mkfifo((dir / (std::string("dev/") + name)).c_str(), 0600) == 0);
  }
  ::chmod((dir / "dev/nvidia0").c_str(), 0666);
  dir.make_file("dev/nvidia1", "a file is no device");
  dir.make_file("etc/group", "root:x:\nusers:y:" + std::to_string(::getgid()) + ":ada\n");
  const auto seen = view(dir);
  REQUIRE(seen.nodes.size() == 3);
  CHECK(seen.nodes[1].path == "/dev/nvidia0");
  CHECK(seen.nodes[1].usable);
  CHECK_FALSE(seen.nodes[2].usable);
  CHECK(seen.nodes[2].mode == 0600);
  CHECK(seen.nodes[2].group == "users");
}
