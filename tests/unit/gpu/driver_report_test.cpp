#include "gpu/driver_report.hpp"

#include <doctest/doctest.h>

#include "support/temp_dir.hpp"

using namespace cudaenv;
using cudaenv::test::TempDir;
using gpu::DriverReport;
using End = gpu::LibraryProbe::End;

namespace {

std::string text(const std::optional<Version>& version) { return version ? version->text() : "-"; }

GpuFacts h200(const std::string& uuid, const std::string& bus) {
  GpuFacts gpu;
  gpu.name = "NVIDIA H200";
  gpu.uuid = uuid;
  gpu.bus_id = bus;
  return gpu;
}

// A machine on which all is well; each case breaks a part of it.
DriverReport healthy() {
  DriverReport report;
  report.kernel.module.version = Version::parse("580.95.05");
  report.kernel.module.open = true;
  report.kernel.pci.push_back({"0000:1b:00.0", "0x2335", "nvidia"});
  report.cuda.end = End::answered;
  report.cuda.status = 0;
  report.cuda.file = "/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05";
  report.cuda.cuda = Version::parse("13.0");
  report.cuda.gpus.push_back(h200("GPU-1", "0000:1b:00.0"));
  report.cuda.gpus.back().capability = ComputeCapability{9, 0};
  report.nvml.end = End::answered;
  report.nvml.status = 0;
  report.nvml.driver = Version::parse("580.95.05");
  report.nvml.gpus.push_back(h200("GPU-1", "00000000:1B:00.0"));
  return report;
}

DriverReport concluded(DriverReport report) {
  gpu::conclude(report);
  return report;
}

DriverState state_with(void (*breaks)(DriverReport&)) {
  auto report = healthy();
  breaks(report);
  gpu::conclude(report);
  return report.facts.state;
}

}  // namespace

TEST_CASE("a healthy driver works, and each GPU is known once with what each source knows of it") {
  const auto report = concluded(healthy());
  CHECK(report.facts.state == DriverState::working);
  CHECK(text(report.facts.module_version) == "580.95.05");
  CHECK(text(report.facts.library_version) == "580.95.05");
  CHECK(text(report.facts.cuda) == "13.0");
  CHECK(report.facts.open_module);
  CHECK_FALSE(report.facts.compat_library);
  REQUIRE(report.gpus.size() == 1);
  CHECK(report.gpus[0].capability == ComputeCapability{9, 0});
  CHECK(report.visible == std::vector<std::string>{"GPU-1"});
}

TEST_CASE("what is missing decides the state") {
  CHECK(state_with([](DriverReport& r) { r = DriverReport(); }) == DriverState::absent);
  CHECK(state_with([](DriverReport& r) {
          r.cuda = {};
          r.cuda.end = End::not_found;
          r.nvml = {};
        }) == DriverState::no_library);
  // As in a container that was given NVIDIA_DRIVER_CAPABILITIES=utility.
  CHECK(state_with([](DriverReport& r) {
          r.cuda = {};
          r.cuda.end = End::not_found;
        }) == DriverState::no_library);
  CHECK(state_with([](DriverReport& r) {
          r.kernel.module = {};
          r.cuda = {};
          r.cuda.end = End::not_found;
        }) == DriverState::no_library);
  CHECK(state_with([](DriverReport& r) {
          r.kernel.module = {};
          r.cuda.status = 100;
          r.cuda.gpus.clear();
          r.nvml = {};
        }) == DriverState::no_module);
  CHECK(state_with([](DriverReport& r) {
          r.cuda.status = 100;
          r.cuda.gpus.clear();
        }) == DriverState::no_device);
  CHECK(state_with([](DriverReport& r) { r.cuda.gpus.clear(); }) == DriverState::no_device);
}

TEST_CASE("a libcuda that crashes, hangs, fails or is none is broken") {
  for (const auto end : {End::crashed, End::hung, End::unusable}) {
    auto report = healthy();
    report.cuda.end = end;
    report.cuda.status.reset();
    CHECK(concluded(report).facts.state == DriverState::broken);
  }
  for (const int status : {3, 34, 802, 804, 999}) {
    auto report = healthy();
    report.cuda.status = status;
    const auto seen = concluded(report);
    CHECK(seen.facts.state == DriverState::broken);
    CHECK(seen.facts.error == status);
  }
}

TEST_CASE("F10: a library of another version than the loaded module is a mismatch") {
  CHECK(state_with([](DriverReport& r) {
          r.cuda.file = "/usr/lib/x86_64-linux-gnu/libcuda.so.580.178";
          r.cuda.status = 803;
        }) == DriverState::mismatch);
  CHECK(state_with([](DriverReport& r) {
          r.cuda.status = 999;
          r.nvml.status = gpu::nvml_mismatch;
        }) == DriverState::mismatch);
  // Nothing but nvidia-smi told of it.
  DriverReport report;
  report.kernel.module.version = Version::parse("580.173.02");
  report.cuda.end = End::not_found;
  report.smi.end = gpu::SmiAnswer::End::refused;
  report.smi.library = Version::parse("580.178");
  const auto seen = concluded(report);
  CHECK(seen.facts.state == DriverState::mismatch);
  CHECK(text(seen.facts.module_version) == "580.173.02");
  CHECK(text(seen.facts.library_version) == "580.178");
}

TEST_CASE("F20: a compat libcuda is no mismatch") {
  auto report = healthy();
  report.kernel.module.version = Version::parse("470.57.02");
  report.cuda.file = "/usr/local/cuda-12.1/compat/libcuda.so.530.30.02";
  report.cuda.status = 804;
  const auto seen = concluded(report);
  CHECK(seen.facts.compat_library);
  CHECK(seen.facts.state == DriverState::broken);
  CHECK(text(seen.facts.library_version) == "530.30.02");
}

TEST_CASE("WSL2 has no module of its own, and its driver's version is NVML's") {
  auto report = healthy();
  report.kernel.module = {};
  report.kernel.wsl = true;
  report.cuda.file = "/usr/lib/wsl/lib/libcuda.so.1";
  report.nvml.driver = Version::parse("537.34");
  const auto seen = concluded(report);
  CHECK(seen.facts.state == DriverState::working);
  CHECK(text(seen.facts.version()) == "537.34");
}

TEST_CASE("F37: GPUs are matched by number or place, not by order") {
  auto report = healthy();
  report.nvml.gpus = {h200("GPU-2", "00000000:3B:00.0"), h200("GPU-1", "00000000:1B:00.0")};
  report.smi.gpus = {h200("", "00000000:3b:00.0")};
  report.smi.gpus[0].capability = ComputeCapability{12, 0};
  const auto seen = concluded(report);
  REQUIRE(seen.gpus.size() == 2);
  CHECK(seen.gpus[0].capability == ComputeCapability{12, 0});
  CHECK(seen.gpus[1].capability == ComputeCapability{9, 0});
  CHECK(seen.visible == std::vector<std::string>{"GPU-1"});
}

TEST_CASE("without a driver the GPUs of the bus are known by their place") {
  DriverReport report;
  report.kernel.pci.push_back({"0000:1b:00.0", "0x2335", ""});
  const auto seen = concluded(report);
  REQUIRE(seen.gpus.size() == 1);
  CHECK(seen.gpus[0].bus_id == "0000:1b:00.0");
}

TEST_CASE("of another machine's tree nothing is loaded or run") {
  const TempDir dir;
  dir.make_file("proc/driver/nvidia/version",
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19\n");
  dir.make_file("usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05", "");
  std::filesystem::create_symlink("libcuda.so.535.104.05",
                                  dir / "usr/lib/x86_64-linux-gnu/libcuda.so.1");
  const auto seen = gpu::driver_report(sys::Tree(dir.path()), sys::Environment(), NoInterrupt());
  CHECK(seen.cuda.end == End::not_asked);
  CHECK(seen.nvml.end == End::not_asked);
  CHECK(seen.smi.end == gpu::SmiAnswer::End::not_asked);
  CHECK(seen.libcuda == "/usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05");
  CHECK(seen.facts.state == DriverState::unknown);
  CHECK(text(seen.facts.version()) == "535.104.05");
}

TEST_CASE("the names of driver libraries tell what they are") {
  CHECK(text(gpu::version_of_library("/a/libcuda.so.580.95.05")) == "580.95.05");
  CHECK(text(gpu::version_of_library("/a/libcuda.so.1")) == "-");
  CHECK(text(gpu::version_of_library("libcuda.so")) == "-");
  CHECK(gpu::is_compat_library("/usr/local/cuda/compat/libcuda.so.1"));
  CHECK_FALSE(gpu::is_compat_library("/usr/local/compat/lib/libcuda.so.1"));
  CHECK(gpu::is_stub_library("/usr/local/cuda/lib64/stubs/libcuda.so.1"));
  CHECK_FALSE(gpu::is_stub_library("libcuda.so.1"));
}
