#include <algorithm>

#include <doctest/doctest.h>

#include "unit/doctor/sysroot.hpp"

using namespace cudaenv;
using compat::Severity;
using cudaenv::test::Sysroot;
using End = gpu::LibraryProbe::End;

namespace {

// A machine with a GPU and a working driver, as it would have been seen; each case breaks a part.
doctor::Observed machine() {
  doctor::Observed seen;
  auto& report = seen.driver;
  report.kernel.module.version = Version::parse("580.95.05");
  report.kernel.pci.push_back({"0000:1b:00.0", "0x2335", "nvidia"});
  for (const char* path : {"/dev/nvidia0", "/dev/nvidia-uvm", "/dev/nvidiactl"}) {
    report.kernel.nodes.push_back({path, true, 0666});
  }
  report.cuda.end = End::answered;
  report.cuda.status = 0;
  report.cuda.file = "/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05";
  report.cuda.cuda = Version::parse("13.0");
  report.cuda.gpus.resize(1);
  report.cuda.gpus[0].uuid = "GPU-1";
  report.nvml.end = End::answered;
  report.nvml.status = 0;
  report.nvml.driver = Version::parse("580.95.05");
  report.nvml.gpus = report.cuda.gpus;
  return seen;
}

doctor::Findings findings(doctor::Observed seen) {
  gpu::conclude(seen.driver);
  return doctor::check_all(seen);
}

compat::Finding only(const doctor::Observed& seen) {
  const auto all = findings(seen);
  REQUIRE(all.size() == 1);
  return all.front();
}

// The one finding where cuInit returns this number.
compat::Finding init_failure(int status) {
  auto seen = machine();
  seen.driver.cuda.status = status;
  seen.driver.cuda.gpus.clear();
  return only(seen);
}

bool says(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("a healthy machine gives no finding") { CHECK(findings(machine()).empty()); }

TEST_CASE("F17: no driver and no GPU is a note of its own") {
  const Sysroot tree;
  CHECK(tree.finding("driver.absent").severity == Severity::note);
  auto seen = machine();
  seen.driver = {};
  const auto finding = only(seen);
  CHECK(finding.id == "driver.absent");
  CHECK(finding.severity == Severity::note);
}

TEST_CASE("F17: a GPU without a driver is an error, and a note for images") {
  auto seen = machine();
  const auto pci = seen.driver.kernel.pci;
  seen.driver = {};
  seen.driver.kernel.pci = pci;
  CHECK(only(seen).severity == Severity::error);
  seen.driver.kernel.nouveau = true;
  CHECK(says(only(seen).why, "nouveau"));
  seen.for_image = true;
  CHECK(only(seen).severity == Severity::note);
}

TEST_CASE("F19: a node without GPUs is a note, whatever nvidia-smi prints") {
  auto seen = machine();
  seen.driver = {};
  seen.driver.cuda.end = End::answered;
  seen.driver.cuda.status = 100;
  seen.driver.cuda.file = "/usr/lib64/libcuda.so.535.54.03";
  seen.driver.smi.end = gpu::SmiAnswer::End::refused;
  seen.driver.smi.status = 9;
  seen.driver.smi.said = "NVIDIA-SMI has failed because it couldn't communicate";
  const auto finding = only(seen);
  CHECK(finding.severity == Severity::note);
  CHECK(finding.seen.find("no NVIDIA GPU on this node") != std::string::npos);
  CHECK(says(finding.why, "status 9"));
}

TEST_CASE("F10: module and library that differ are both named, and the remedy is a reboot") {
  auto seen = machine();
  seen.driver.kernel.module.version = Version::parse("580.173.02");
  seen.driver.cuda.file = "/usr/lib/x86_64-linux-gnu/libcuda.so.580.178";
  seen.driver.cuda.status = 803;
  seen.driver.cuda.gpus.clear();
  seen.driver.nvml.status = gpu::nvml_mismatch;
  const auto finding = only(seen);
  CHECK(finding.id == "driver.mismatch");
  CHECK(finding.severity == Severity::error);
  CHECK(finding.seen.find("580.173.02") != std::string::npos);
  CHECK(finding.seen.find("580.178") != std::string::npos);
  CHECK(says(finding.help, "reboot"));
}

TEST_CASE("F10: an image with another libcuda than the loaded module is a mismatch") {
  const Sysroot tree;
  tree.driver("580.173.02", "580.178");
  const auto finding = tree.finding("driver.mismatch");
  CHECK(finding.severity == Severity::error);
}

TEST_CASE("F30: what cuInit returns is named with its cause and what to try") {
  CHECK(init_failure(999).id == "driver.unknown-error");
  CHECK(says(init_failure(999).help, "nvidia_uvm"));
  CHECK(init_failure(802).id == "driver.fabric-manager");
  CHECK(says(init_failure(802).help, "nvidia-fabricmanager"));
  CHECK(init_failure(805).id == "driver.mps");
  CHECK(says(init_failure(805).help, "CUDA_MPS_PIPE_DIRECTORY"));
  CHECK(init_failure(46).id == "gpu.busy");
  CHECK(says(init_failure(46).why, "another process"));
  CHECK(init_failure(3).id == "driver.not-initialised");
  CHECK(init_failure(34).id == "loader.stubs");
  CHECK(init_failure(803).id == "driver.mismatch");
  CHECK(init_failure(4711).id == "driver.fails");
  CHECK(init_failure(4711).seen.find("4711") != std::string::npos);
}

TEST_CASE("whether the fabric manager runs is told beside error 802") {
  auto seen = machine();
  seen.driver.cuda.status = 802;
  seen.driver.cuda.gpus.clear();
  seen.driver.kernel.nvswitches = 4;
  CHECK(says(only(seen).why, "no process nv-fabricmanager"));
  seen.driver.kernel.fabric_manager = true;
  CHECK(says(only(seen).why, "its version must be the driver's"));
}

TEST_CASE("F30: GPUs that the user hides are hidden by the user") {
  for (const char* value : {"", "-1"}) {
    auto seen = machine();
    seen.environment = sys::Environment(test::Variables{{"CUDA_VISIBLE_DEVICES", value}});
    seen.driver.cuda.status = 100;
    seen.driver.cuda.gpus.clear();
    const auto finding = only(seen);
    CHECK(finding.id == "gpu.hidden");
    CHECK(finding.severity == Severity::warning);
    CHECK(says(finding.help, "unset CUDA_VISIBLE_DEVICES"));
  }
}

TEST_CASE("a partitioned GPU without instances is told as that") {
  auto seen = machine();
  seen.driver.cuda.status = 100;
  seen.driver.cuda.gpus.clear();
  seen.driver.nvml.partitioned = true;
  CHECK(only(seen).id == "gpu.no-instance");
}

TEST_CASE("some of the GPUs hidden is a note with the numbers") {
  auto seen = machine();
  seen.environment = sys::Environment(test::Variables{{"CUDA_VISIBLE_DEVICES", "1"}});
  seen.driver.nvml.gpus.resize(4);
  const auto finding = only(seen);
  CHECK(finding.id == "gpu.hidden");
  CHECK(finding.seen == "CUDA_VISIBLE_DEVICES is `1`: programs see 1 of 4 GPUs");
}

TEST_CASE("F20: error 804 names the compat library that is in front") {
  auto seen = machine();
  seen.driver.cuda.file = "/usr/local/cuda-12.1/compat/libcuda.so.530.30.02";
  seen.driver.cuda.status = 804;
  seen.driver.cuda.gpus.clear();
  const auto finding = only(seen);
  CHECK(finding.id == "driver.compat-unsupported");
  CHECK(says(finding.why, "/usr/local/cuda-12.1/compat/libcuda.so.530.30.02"));
}

TEST_CASE("F20: a compat library that works is told, for it hides the driver's own") {
  auto seen = machine();
  seen.driver.cuda.file = "/usr/local/cuda-12.9/compat/libcuda.so.575.57.08";
  seen.driver.kernel.module.version = Version::parse("535.104.05");
  CHECK(only(seen).id == "driver.compat-in-front");
}

TEST_CASE("crashes, hangs and files that are none are told with the place") {
  auto seen = machine();
  seen.driver.cuda = {};
  seen.driver.cuda.file = "/opt/libcuda.so.580.95.05";
  seen.driver.cuda.end = End::hung;
  seen.driver.cuda.call = "cuInit";
  CHECK(only(seen).id == "driver.hangs");
  CHECK(only(seen).seen == "libcuda does not come back from `cuInit`");
  seen.driver.cuda.end = End::crashed;
  seen.driver.cuda.signal = 11;
  CHECK(only(seen).seen == "libcuda crashes (signal 11) in `cuInit`");
  seen.driver.cuda.end = End::unusable;
  seen.driver.cuda.detail = "libcuda.so.1: invalid ELF header";
  CHECK(only(seen).id == "driver.unusable");
}

TEST_CASE("a module that is not loaded is told with the reason") {
  auto seen = machine();
  seen.driver.kernel.module = {};
  seen.driver.kernel.nodes.clear();
  seen.driver.cuda.status = 999;
  seen.driver.cuda.gpus.clear();
  seen.driver.nvml = {};
  seen.driver.kernel.nouveau = true;
  CHECK(only(seen).id == "driver.no-module");
  CHECK(says(only(seen).help, "blacklist nouveau"));
  seen.driver.kernel.nouveau = false;
  CHECK(says(only(seen).why, "no kernel has a module"));
  seen.driver.kernel.installed_module = "/lib/modules/6.8.0-49/updates/dkms/nvidia.ko";
  CHECK(says(only(seen).why, "another kernel"));
  seen.driver.kernel.for_this_kernel = true;
  seen.driver.kernel.secure_boot = true;
  CHECK(says(only(seen).why, "Secure Boot"));
  CHECK(says(only(seen).help, "mokutil"));
}

TEST_CASE("a container that was started without GPUs is told so, with the option") {
  auto seen = machine();
  seen.driver.cuda = {};
  seen.driver.cuda.end = End::not_found;
  seen.driver.nvml = {};
  seen.driver.kernel.nodes.clear();
  seen.driver.kernel.container = "docker";
  CHECK(only(seen).id == "container.no-gpus");
  CHECK(says(only(seen).help, "--gpus all"));
  seen.driver.kernel.container = "podman";
  CHECK(says(only(seen).help, "nvidia.com/gpu=all"));
  seen.driver.kernel.container = "";
  CHECK(only(seen).id == "driver.no-library");
}

TEST_CASE("a container that has NVML and no libcuda is told which capability it lacks") {
  auto seen = machine();
  seen.driver.cuda = {};
  seen.driver.cuda.end = End::not_found;
  CHECK(only(seen).id == "driver.no-library");
  CHECK(says(only(seen).help, "libnvidia-compute"));
  seen.driver.kernel.container = "docker";
  seen.environment = sys::Environment(test::Variables{{"NVIDIA_DRIVER_CAPABILITIES", "utility"}});
  CHECK(only(seen).id == "driver.no-library");
  CHECK(says(only(seen).why, "`utility`"));
  CHECK(says(only(seen).help, "NVIDIA_DRIVER_CAPABILITIES=compute,utility"));
}

TEST_CASE("device nodes that are missing or closed are named") {
  auto seen = machine();
  seen.driver.kernel.nodes.erase(seen.driver.kernel.nodes.begin() + 1);
  CHECK(only(seen).seen == "there is no /dev/nvidia-uvm");
  seen = machine();
  seen.driver.kernel.nodes[0] = {"/dev/nvidia0", false, 0660};
  CHECK(only(seen).id == "device.permission");
  CHECK(only(seen).seen == "you may not use /dev/nvidia0 (mode 0660)");
  CHECK(says(only(seen).help, "NVreg_DeviceFileMode=0666"));
  seen.driver.kernel.nodes[0].group = "video";
  CHECK(says(only(seen).help, "usermod -aG video"));
  seen.driver.kernel.nodes[0].mode = 0600;
  CHECK(says(only(seen).help, "NVreg_DeviceFileMode=0666"));
}

TEST_CASE("NVML that fails beside a CUDA that works is a warning") {
  auto seen = machine();
  seen.driver.nvml.status = 999;
  CHECK(only(seen).id == "driver.nvml");
  CHECK(only(seen).severity == Severity::warning);
}

TEST_CASE("GPUs that wait for the fabric manager or take no program are told") {
  auto seen = machine();
  seen.driver.nvml.fabric_waits = true;
  CHECK(only(seen).id == "driver.fabric-manager");
  seen = machine();
  seen.driver.nvml.prohibited = true;
  CHECK(only(seen).id == "gpu.prohibited");
  seen = machine();
  seen.driver.nvml.exclusive = true;
  CHECK(only(seen).severity == Severity::note);
}

TEST_CASE("F13: WSL2 without Windows' driver is told what to install where") {
  auto seen = machine();
  seen.driver = {};
  seen.driver.kernel.wsl = true;
  seen.driver.kernel.nodes.push_back({"/dev/dxg", true, 0666});
  CHECK(only(seen).id == "driver.absent");
  CHECK(says(only(seen).help, "in Windows"));
}

TEST_CASE("an assumed driver is not judged by what this machine's does") {
  Sysroot tree;
  tree.gpu();
  CHECK(tree.has("driver.absent"));
  tree.assumed.driver = Version::parse("535.104.05");
  CHECK_FALSE(tree.has("driver.absent"));
  CHECK(tree.seen().driver.facts.version()->text() == "535.104.05");
}
