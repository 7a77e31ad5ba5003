// Whole machines in small: everything that `doctor` says of each.
#include <doctest/doctest.h>

#include "unit/doctor/sysroot.hpp"

using namespace cudaenv;
using cudaenv::test::Sysroot;
using Lines = std::vector<std::string>;

TEST_CASE("Ubuntu with NVIDIA's packages: driver, toolkit through alternatives") {
  Sysroot tree;
  tree.gpu();
  tree.driver("580.95.05", "580.95.05");
  tree.toolkit("12.9.1", "/usr/local/cuda-12.9");
  tree.link("/usr/local/cuda", "/etc/alternatives/cuda");
  tree.link("/etc/alternatives/cuda", "/usr/local/cuda-12.9");
  tree.variables["PATH"] = "/usr/local/cuda/bin:/usr/bin:/bin";
  CHECK(tree.found() ==
        Lines{"error device.missing: there is no /dev/nvidiactl, no /dev/nvidia0, no "
              "/dev/nvidia-uvm",
              "note toolkit.default-alternatives: /usr/local/cuda belongs to update-alternatives"});
}

TEST_CASE("Debian's split toolkit") {
  Sysroot tree;
  tree.program("/usr/lib/nvidia-cuda-toolkit/bin/nvcc");
  tree.link("/usr/bin/nvcc", "../lib/nvidia-cuda-toolkit/bin/nvcc");
  tree.program("/usr/bin/ptxas");
  tree.file("/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc");
  tree.file("/usr/lib/cuda/version.txt", "CUDA Version 11.8.89\n");
  tree.file("/usr/include/cuda.h", "#define CUDA_VERSION 11080\n");
  tree.library("/usr/lib/x86_64-linux-gnu", "libcudart.so.11.0", "libcudart.so.11.8.89");
  const auto seen = tree.seen();
  REQUIRE(seen.active());
  CHECK(seen.active()->path == "/usr");
  CHECK(seen.active()->version()->text() == "11.8");
  CHECK(seen.active()->owner == doctor::Owner::distribution);
  CHECK(tree.found() ==
        Lines{"note driver.absent: there is no NVIDIA driver in this tree",
              "note toolkit.split: the toolkit is the distribution's: nvcc in /usr/bin, headers in "
              "/usr/include, libraries beside the system's"});
}

TEST_CASE("RHEL with the driver in /usr/lib64 and a toolkit that is not on PATH") {
  Sysroot tree;
  tree.file("/proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build\n");
  tree.library("/usr/lib64", "libcuda.so.1", "libcuda.so.570.86.10");
  tree.toolkit("12.8.1");
  tree.link("/usr/local/cuda", "cuda-12.8.1");
  const auto seen = tree.seen();
  CHECK(seen.driver.facts.open_module);
  CHECK(seen.driver.facts.version()->text() == "570.86.10");
  CHECK(tree.found() == Lines{"note toolkit.not-on-path: /usr/local/cuda leads to CUDA 12.8.1 in "
                              "`/usr/local/cuda-12.8.1` and PATH has no nvcc"});
}

TEST_CASE("F13: WSL2, where the driver is Windows'") {
  Sysroot tree;
  tree.file("/proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2 (root@x)\n");
  tree.library("/usr/lib/wsl/lib", "libcuda.so.1");
  tree.loader_cache({{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}});
  CHECK(tree.seen().driver.libcuda == "/usr/lib/wsl/lib/libcuda.so.1");
  CHECK(tree.found() == Lines{});
}

TEST_CASE("F45: a Jetson, whose driver is part of L4T") {
  Sysroot tree;
  tree.file("/etc/nv_tegra_release", "# R35 (release), REVISION: 4.1, GCID: 33958178\n");
  CHECK(tree.found() == Lines{"note driver.absent: there is no NVIDIA driver in this tree"});
  tree.library("/usr/lib/aarch64-linux-gnu/tegra", "libcuda.so.1", "libcuda.so.1.1");
  const auto seen = tree.seen();
  REQUIRE(seen.driver.kernel.l4t);
  CHECK(seen.driver.kernel.l4t->text() == "35.4.1");
  CHECK(tree.found() == Lines{});
}

TEST_CASE("a container on a host with a driver, started without GPUs") {
  Sysroot tree;
  tree.file("/.dockerenv");
  tree.driver("535.104.05", "");
  tree.toolkit("12.2.2");
  tree.link("/usr/local/cuda", "cuda-12.2.2");
  tree.variables["PATH"] = "/usr/local/cuda/bin:/usr/bin";
  CHECK(tree.found() ==
        Lines{"error container.no-gpus: this docker container was started without GPUs"});
  tree.for_image = true;
  CHECK(tree.found() ==
        Lines{"note container.no-gpus: this docker container was started without GPUs"});
}

TEST_CASE("conda with its own compiler beside the system's toolkit") {
  Sysroot tree;
  tree.folder("/opt/conda/conda-meta");
  tree.program("/opt/conda/bin/nvcc");
  tree.file("/opt/conda/targets/x86_64-linux/include/cuda.h", "#define CUDA_VERSION 12040\n");
  tree.library("/opt/conda/lib", "libcudart.so.12", "libcudart.so.12.4.127");
  tree.toolkit("11.8.0");
  tree.variables["CONDA_PREFIX"] = "/opt/conda";
  tree.variables["PATH"] = "/opt/conda/bin:/usr/local/cuda-11.8.0/bin:/usr/bin";
  CHECK(tree.found() ==
        Lines{"note driver.absent: there is no NVIDIA driver in this tree",
              "note toolkit.several-nvcc: PATH has 2 nvcc",
              "note conda.cuda: conda sees no __cuda: it will choose packages for machines without "
              "a GPU",
              "note conda.nvcc-first: conda's nvcc comes before that of "
              "`/usr/local/cuda-11.8.0`"});
}

TEST_CASE("an empty tree") {
  const Sysroot tree;
  CHECK(tree.found() == Lines{"note driver.absent: there is no NVIDIA driver in this tree"});
}
