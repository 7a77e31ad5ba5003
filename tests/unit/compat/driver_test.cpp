#include "compat/driver.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "compat/gpu.hpp"
#include "expected.hpp"

namespace cudaenv::compat {
namespace {

DriverVerdict judge(const std::string& toolkit, const DriverFacts& driver,
                    const std::string& gpus = ".") {
  return judge_driver(builtin_tables(), *Version::parse(toolkit), driver, gpus_of(gpus));
}

bool mentions(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

TEST_CASE("F04: a driver below the floor is an error that names driver and toolkit that fit") {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {"470.57.02", "12.1.0", "11.8.0"},
      {"515.48.07", "12.0.0", "11.8.0"},
      {"525.60.11", "12.1.0", "11.8.0"}};
  for (const auto& [driver, toolkit, fits] : cases) {
    const auto& shown = driver;
    CAPTURE(shown);
    const auto verdict = judge(toolkit, driver_of(driver));
    REQUIRE(verdict.findings.size() == 1);
    const auto& finding = verdict.findings[0];
    CHECK(finding.id == "driver.too-old");
    CHECK(finding.severity == Severity::error);
    CHECK(mentions(finding.help, "525.60.13"));
    CHECK(mentions(finding.help, fits));
  }
}

TEST_CASE("F04: between the floor and the toolkit's driver it is a note") {
  const auto verdict = judge("12.4.1", driver_of("535.104.05"));
  CHECK(verdict.support == DriverSupport::minor_version);
  REQUIRE(verdict.findings.size() == 1);
  CHECK(verdict.findings[0].severity == Severity::note);
}

TEST_CASE("12.4 asks for 525.60.13; 550.54.14 came with it, and 535.104.05 with 12.2 Update 2") {
  const auto verdict = judge("12.4.0", driver_of("535.104.05"));
  CHECK(verdict.floor->text() == "525.60.13");
  CHECK(verdict.toolkit_driver->text() == "550.54.14");
  const auto& why = verdict.findings.at(0).why;
  CHECK(mentions(why, "built and tested 12.4.0 with driver 550.54.14"));
  CHECK(mentions(why, "least driver for CUDA 12.x is 525.60.13"));
  CHECK(mentions(why, "535.104.05 is the one of CUDA 12.2.2"));
}

TEST_CASE("F21: what minor-version compatibility leaves out is said") {
  const auto verdict = judge("13.2.1", driver_of("580.95.05"));
  CHECK(verdict.support == DriverSupport::minor_version);
  CHECK(mentions(verdict.findings.at(0).why, "error 222"));
  CHECK(mentions(verdict.findings.at(0).help, "-arch=sm_NN"));
}

TEST_CASE("F20: a compat library in front is an error on GeForce and none on a data-centre GPU") {
  DriverFacts driver = driver_of("470.57.02");
  driver.cuda = Version::parse("12.1");
  driver.compat_library = true;
  const auto geforce = judge("12.1.1", driver, "NVIDIA_GeForce_RTX_2080_Ti");
  CHECK(std::any_of(geforce.findings.begin(), geforce.findings.end(), [](const auto& finding) {
    return finding.id == "driver.compat-not-open" && finding.severity == Severity::error;
  }));
  // What the library says is not what the driver can.
  CHECK(geforce.ceiling->text() == "11.4");
  const auto a100 = judge("12.4.1", driver, "NVIDIA_A100-SXM4-40GB");
  CHECK(a100.support == DriverSupport::forward_compat);
  CHECK(a100.package == "cuda-compat-12-4");
}

TEST_CASE("forward compatibility is not counted on where the GPUs are not known") {
  CHECK(judge("13.0.2", driver_of("535.309.01")).support == DriverSupport::none);
  CHECK(judge("13.0.2", driver_of("535.309.01"), "NVIDIA_RTX_A6000").support ==
        DriverSupport::none);
  CHECK(judge("13.0.2", driver_of("535.309.01"), "NVIDIA_H100+NVIDIA_GeForce_RTX_4090").support ==
        DriverSupport::none);
}

TEST_CASE("what libcuda says counts more than the branch") {
  DriverFacts driver;
  driver.cuda = Version::parse("12.2");
  CHECK(judge("12.2.2", driver).support == DriverSupport::native);
  CHECK(judge("12.9.1", driver).support == DriverSupport::minor_version);
  CHECK(judge("13.0.2", driver).support == DriverSupport::none);
}

TEST_CASE("what is not known stays unknown") {
  CHECK(judge("12.4.1", {}).support == DriverSupport::unknown);
  CHECK(judge("99.1.0", driver_of("580.95.05")).support == DriverSupport::unknown);
  const auto gpu =
      judge_gpu(builtin_tables(), *Version::parse("99.1"), gpus_of("NVIDIA_H200")[0], {});
  CHECK(gpu.support == GpuSupport::unknown);
  const auto odd = judge_gpu(builtin_tables(), *Version::parse("12.4"), gpus_of("Odd_GPU")[0], {});
  CHECK(odd.support == GpuSupport::unknown);
  CHECK(odd.findings.at(0).id == "gpu.unknown");
}

TEST_CASE("the newest toolkit for a driver is known, in full and at all") {
  const auto newest = [](const char* driver, bool natively) {
    const auto found = newest_toolkit(builtin_tables(), driver_of(driver), natively);
    return found ? found->text() : "none";
  };
  CHECK(newest("535.104.05", true) == "12.2.2");
  CHECK(newest("535.104.05", false) == "12.9.2");
  CHECK(newest("440.33.01", false) == "10.2.89");
  CHECK(newest("300.1", false) == "none");
}

TEST_CASE("a driver that no longer or not yet drives a GPU is told") {
  const auto judged = [](const char* driver, const char* gpu, const char* toolkit) {
    const auto verdict =
        judge_gpu(builtin_tables(), *Version::parse(toolkit), gpus_of(gpu)[0], driver_of(driver));
    return verdict.findings.empty() ? std::string() : verdict.findings.back().id;
  };
  CHECK(judged("590.48.01", "Tesla_V100-SXM2-16GB", "12.9") == "gpu.driver-dropped");
  CHECK(judged("580.95.05", "Tesla_V100-SXM2-16GB", "12.8.1") == "gpu.deprecated");
  CHECK(judged("495.46", "Tesla_K80", "11.4") == "gpu.driver-dropped");
  CHECK(judged("535.104.05", "NVIDIA_GeForce_RTX_5090", "12.8") == "gpu.driver-too-old");
  CHECK(judged("570.211.01", "NVIDIA_GeForce_RTX_5090", "12.8").empty());
}

TEST_CASE("a GPU that the driver itself shows is driven") {
  GpuFacts gpu = gpus_of("NVIDIA_GeForce_RTX_5090")[0];
  gpu.uuid = "GPU-1";
  DriverFacts driver = driver_of("535.104.05");
  driver.state = DriverState::working;
  CHECK(judge_gpu(builtin_tables(), *Version::parse("12.8"), gpu, driver).findings.empty());
}

}  // namespace
}  // namespace cudaenv::compat
