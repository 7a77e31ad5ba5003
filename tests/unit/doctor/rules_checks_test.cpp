#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "unit/doctor/sysroot.hpp"

using namespace cudaenv;
using compat::Severity;
using cudaenv::test::Sysroot;

namespace {

doctor::Findings judged(const Sysroot& tree) {
  return doctor::check_compatibility(tree.seen(), compat::builtin_tables());
}

const compat::Finding* find(const doctor::Findings& findings, const std::string& id) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const auto& finding) { return finding.id == id; });
  return found == findings.end() ? nullptr : &*found;
}

std::string ids(const doctor::Findings& findings) {
  std::string text;
  for (const auto& finding : findings) {
    text += fmt::format("{} {}\n", compat::name_of(finding.severity), finding.id);
  }
  return text;
}

// A machine with one toolkit that is active, and with what was assumed.
struct Machine : Sysroot {
  explicit Machine(const std::string& cuda) {
    variables["CUDA_HOME"] = toolkit(cuda);
    variables["PATH"] = variables["CUDA_HOME"] + "/bin:/usr/bin";
    assumed.gcc = Version::parse("11.4.0");
  }
};

}  // namespace

TEST_CASE("F04: a driver below the floor of the toolkit's major is an error") {
  Machine old("12.1.1");
  old.assumed.driver = Version::parse("470.57.02");
  REQUIRE(find(judged(old), "driver.too-old"));
  CHECK(find(judged(old), "driver.too-old")->severity == Severity::error);
  Machine nearly("12.1.1");
  nearly.assumed.driver = Version::parse("525.60.11");
  CHECK(find(judged(nearly), "driver.too-old"));
}

TEST_CASE("F04: a driver between floor and bundled one is no error") {
  Machine machine("12.1.1");
  machine.assumed.driver = Version::parse("525.60.13");
  for (const auto& finding : judged(machine)) {
    CAPTURE(finding.id);
    CHECK(finding.severity != Severity::error);
  }
  machine.assumed.driver = Version::parse("580.95.05");
  CHECK(ids(judged(machine)) == "");
}

TEST_CASE("F08: a host compiler that is too new names an installed one that fits") {
  Machine machine("12.1.1");
  machine.assumed.gcc.reset();
  machine.program("/usr/bin/gcc-13");
  machine.program("/usr/bin/g++-13");
  machine.program("/usr/bin/g++-12");
  machine.program("/usr/bin/g++-9");
  machine.link("/usr/bin/gcc", "gcc-13");
  const auto findings = judged(machine);
  const auto* finding = find(findings, "compiler.too-new");
  REQUIRE(finding);
  CHECK(finding->severity == Severity::error);
  REQUIRE(finding->help.size() == 1);
  CHECK(finding->help[0].starts_with("export NVCC_PREPEND_FLAGS='-ccbin /usr/bin/g++-12'"));
  for (const auto& help : finding->help) {
    CHECK(help.find("allow-unsupported") == std::string::npos);
  }
}

TEST_CASE("F08: gcc 12.3 passes with 12.1, and what its nvcc is told to take is what counts") {
  Machine machine("12.1.1");
  machine.assumed.gcc = Version::parse("12.3.0");
  CHECK_FALSE(find(judged(machine), "compiler.too-new"));
  machine.assumed.gcc.reset();
  machine.program("/usr/bin/gcc-13");
  machine.link("/usr/bin/gcc", "gcc-13");
  CHECK(find(judged(machine), "compiler.too-new"));
  machine.program("/usr/bin/g++-12");
  machine.variables["NVCC_PREPEND_FLAGS"] = "-ccbin /usr/bin/g++-12";
  CHECK_FALSE(find(judged(machine), "compiler.too-new"));
}

TEST_CASE("F08: NVCC_CCBIN counts from CUDA 12.5 on, and before is told to be of no use") {
  const auto with_ccbin = [](const char* release) {
    Machine machine(release);
    machine.assumed.gcc.reset();
    machine.program("/usr/bin/gcc-14");
    machine.link("/usr/bin/gcc", "gcc-14");
    machine.program("/usr/bin/g++-12");
    machine.variables["NVCC_CCBIN"] = "/usr/bin/g++-12";
    return judged(machine);
  };
  CHECK_FALSE(find(with_ccbin("12.6.3"), "compiler.too-new"));
  CHECK_FALSE(find(with_ccbin("12.5.0"), "compiler.too-new"));
  const auto findings = with_ccbin("12.4.1");
  const auto* finding = find(findings, "compiler.too-new");
  REQUIRE(finding);
  CHECK(finding->why.back() ==
        "NVCC_CCBIN names `/usr/bin/g++-12`, but nvcc reads that variable from CUDA 12.5 on");
  CHECK(finding->help.at(0).starts_with("export NVCC_PREPEND_FLAGS="));

  Machine without_gcc("12.4.1");
  without_gcc.assumed.gcc.reset();
  without_gcc.program("/usr/bin/g++-12");
  without_gcc.variables["NVCC_CCBIN"] = "/usr/bin/g++-12";
  const auto none = judged(without_gcc);
  const auto* missing = find(none, "compiler.none");
  REQUIRE(missing);
  REQUIRE(missing->why.size() == 1);
  CHECK(missing->why[0].starts_with("NVCC_CCBIN names"));
  CHECK(missing->help.at(0).starts_with("export NVCC_PREPEND_FLAGS="));
}

TEST_CASE("F08: no host compiler at all is a warning, for a toolkit that compiles") {
  Machine machine("12.1.1");
  machine.assumed.gcc.reset();
  CHECK(find(judged(machine), "compiler.none"));
}

TEST_CASE("F29: the headers of an old toolkit clash with glibc 2.41, those of a new one do not") {
  Machine machine("12.8.1");
  machine.assumed.glibc = Version::parse("2.41");
  const auto findings = judged(machine);
  REQUIRE(find(findings, "glibc.headers-clash"));
  CHECK(find(findings, "glibc.headers-clash")->help[0] == "take CUDA 13.0.0 or later");
  machine.assumed.glibc = Version::parse("2.39");
  CHECK_FALSE(find(judged(machine), "glibc.headers-clash"));
  Machine newer("13.1.1");
  newer.assumed.glibc = Version::parse("2.41");
  CHECK_FALSE(find(judged(newer), "glibc.headers-clash"));
}

TEST_CASE("every GPU is judged by the toolkit, one of a kind once") {
  Machine machine("13.0.1");
  machine.assumed.driver = Version::parse("580.95.05");
  GpuFacts volta;
  volta.name = "Tesla V100-SXM2-16GB";
  GpuFacts hopper;
  hopper.capability = ComputeCapability{9, 0};
  machine.assumed.gpus = std::vector<GpuFacts>{volta, volta, hopper};
  const auto findings = judged(machine);
  CHECK(std::count_if(findings.begin(), findings.end(),
                      [](const auto& finding) { return finding.id == "gpu.dropped"; }) == 1);
}

TEST_CASE("the cuDNN in a toolkit is judged by its version") {
  Machine machine("11.8.0");
  machine.cudnn("/usr/local/cuda-11.8.0/lib", "9.17.0");
  CHECK(find(judged(machine), "cudnn.other-major"));
}

TEST_CASE("without a driver the rules for it are silent") {
  Machine machine("12.1.1");
  CHECK(ids(judged(machine)) == "");
}

TEST_CASE("F06: a library that a program misses is mapped to the toolkits that have it") {
  Machine machine("12.2.0");
  machine.wanted = "libcudart.so.11.0";
  auto findings = doctor::check_wanted(machine.seen(), compat::builtin_tables());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "library.missing");
  CHECK(findings[0].why[0] == "CUDA 11.0 to 11.8 has it (cuda_cudart)");
  CHECK(findings[0].help == std::vector<std::string>{"cudaenv install 11.8"});

  // It is installed, and on PATH instead of where the loader looks.
  machine.toolkit("11.2.2");
  machine.variables["PATH"] = "/usr/local/cuda-11.2.2/lib:" + machine.variables["PATH"];
  findings = doctor::check_wanted(machine.seen(), compat::builtin_tables());
  // cudaenv did not install it, so it cannot activate it.
  CHECK(findings[0].help ==
        std::vector<std::string>{"export LD_LIBRARY_PATH=/usr/local/cuda-11.2.2/lib64"
                                 "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"});
  machine.file("/usr/local/cuda-11.2.2/.cudaenv/receipt.json", "{}");
  findings = doctor::check_wanted(machine.seen(), compat::builtin_tables());
  CHECK(findings[0].help == std::vector<std::string>{"eval \"$(cudaenv use 11.2.2)\""});
  for (const auto& help : findings[0].help) CHECK(help.find("ln -s") == std::string::npos);

  machine.variables["LD_LIBRARY_PATH"] = "/usr/local/cuda-11.2.2/lib64";
  CHECK(doctor::check_wanted(machine.seen(), compat::builtin_tables())[0].id == "library.found");
}

TEST_CASE(
    "F06: a library of a CUDA that cudaenv cannot install is not said to be installed by it") {
  Machine machine("12.2.0");
  machine.wanted = "libcudart.so.10.1";
  const auto findings = doctor::check_wanted(machine.seen(), compat::builtin_tables());
  REQUIRE(findings.size() == 1);
  REQUIRE(findings[0].help.size() == 1);
  CHECK(findings[0].help[0].starts_with("cudaenv cannot install CUDA 10.1"));
}

TEST_CASE("F15: the parts of cuDNN 8 come with cuDNN 8 only") {
  Machine machine("12.2.0");
  machine.cudnn("/usr/local/cuda-12.2.0/lib", "9.1.0");
  machine.wanted = "libcudnn_ops_infer.so.8";
  const auto findings = doctor::check_wanted(machine.seen(), compat::builtin_tables());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "library.missing");
  CHECK(findings[0].help == std::vector<std::string>{"cudaenv install VERSION --with cudnn@8"});
}

TEST_CASE("an NCCL that lies in the toolkit is judged with it") {
  Machine machine("12.1.1");
  const std::string lib = machine.variables["CUDA_HOME"] + "/lib64";
  machine.library(lib, "libnccl.so.2", "libnccl.so.2.18.1");
  CHECK_FALSE(find(judged(machine), "nccl.other-major"));
  Machine old("11.8.0");
  old.library(old.variables["CUDA_HOME"] + "/lib64", "libnccl.so.2", "libnccl.so.2.32.3");
  REQUIRE(find(judged(old), "nccl.other-major"));
  CHECK(find(judged(old), "nccl.other-major")->severity == Severity::warning);
}
