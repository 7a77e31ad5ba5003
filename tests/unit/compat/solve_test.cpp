#include "compat/solve.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "catalog/index.hpp"
#include "expected.hpp"

namespace cudaenv::compat {
namespace {

const Tables& tables() { return builtin_tables(); }

Question question(const std::string& framework, const std::string& driver,
                  const std::string& gpus) {
  Question asked;
  if (!framework.empty()) asked.framework = FrameworkWish::parse(tables(), framework);
  if (!driver.empty()) asked.machine.driver = driver_of(driver);
  asked.machine.gpus = gpus_of(gpus);
  asked.toolkits = catalog::versions("cuda");
  asked.cudnn = catalog::versions("cudnn");
  return asked;
}

bool has_line(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

TEST_CASE("it says why this toolkit, and why none that is newer") {
  const auto answer = solve(tables(), question("", "580.95.05", "NVIDIA_H200+Tesla_V100"));
  CHECK(answer.toolkit->text() == "12.9.2");
  CHECK(has_line(answer.why, "driver 580.95.05 runs CUDA 12.9.2 in full (up to 13.0)"));
  CHECK(has_line(answer.why, "its nvcc compiles for NVIDIA H200 (sm_90)"));
  REQUIRE(answer.newer.size() == 9);
  CHECK(answer.newer.front().toolkit.text() == "13.4.2");
  CHECK(answer.newer.back().reason ==
        "CUDA 13.0.0 no longer compiles for Tesla V100 (compute capability 7.0)");
}

TEST_CASE("a wheel that brings CUDA needs no toolkit, and is told so") {
  const auto answer = solve(tables(), question("pytorch==2.1", "535.104.05", "NVIDIA_A10"));
  CHECK_FALSE(answer.toolkit_needed);
  CHECK(answer.framework_line ==
        "pip install \"torch==2.1.*\" --index-url https://download.pytorch.org/whl/cu118");
  CHECK(answer.toolkit->text() == "11.8.0");
  CHECK_FALSE(answer.cudnn);
}

TEST_CASE("among the toolkits that are allowed another build of the framework is taken") {
  auto asked = question("pytorch==2.1", "535.104.05", "NVIDIA_A10");
  asked.toolkits = {*Version::parse("12.1.1"), *Version::parse("12.1.0")};
  const auto answer = solve(tables(), asked);
  REQUIRE(answer.toolkit);
  CHECK(answer.toolkit->text() == "12.1.1");
  CHECK(answer.framework_line.find("/whl/cu121") != std::string::npos);
}

TEST_CASE("a framework that the tables do not know is not guessed") {
  const auto answer = solve(tables(), question("pytorch==9.9", "535.104.05", "NVIDIA_A10"));
  CHECK_FALSE(answer.toolkit);
  REQUIRE(answer.findings.size() == 1);
  CHECK(answer.findings[0].id == "framework.unknown");
}

TEST_CASE("what had to be taken instead of the tested pair is said") {
  const auto answer = solve(tables(), question("tensorflow==2.10", "520.61.05", "NVIDIA_A10"));
  CHECK(answer.toolkit->text() == "11.8.0");
  CHECK(has_line(answer.why,
                 "tensorflow 2.10 is made for CUDA 11.2, which is not to be had; 11.8.0 has "
                 "libraries of the same names"));
  const auto untested =
      std::find_if(answer.findings.begin(), answer.findings.end(),
                   [](const auto& finding) { return finding.id == "framework.cuda-untested"; });
  REQUIRE(untested != answer.findings.end());
  CHECK(untested->help.empty());  // no "take CUDA 11.2", which is not to be had
}

TEST_CASE("what eight GPUs of a kind lack counts and is said once") {
  const auto one = solve(tables(), question("", "580.95.05", "NVIDIA_H200"));
  auto asked = question("", "580.95.05", "NVIDIA_H200");
  asked.machine.gpus.resize(8, asked.machine.gpus.front());
  const auto eight = solve(tables(), asked);
  CHECK(eight.toolkit == one.toolkit);
  CHECK(eight.why == one.why);
  CHECK(eight.findings == one.findings);
}

TEST_CASE("a host compiler that nvcc would not take by itself is said with what makes it") {
  auto asked = question("", "520.61.05", "NVIDIA_A10");
  asked.toolkits = {*Version::parse("11.8.0")};
  asked.machine.compilers = {{"gcc", *Version::parse("12.2.0"), "/usr/bin/gcc"},
                             {"gcc", *Version::parse("11"), "/usr/bin/g++-11"}};
  CHECK(has_line(solve(tables(), asked).why,
                 "its nvcc takes gcc 11, not gcc 12.2.0: "
                 "`export NVCC_PREPEND_FLAGS='-ccbin /usr/bin/g++-11'`"));
  asked.machine.compilers.front().version = *Version::parse("11.4.0");
  CHECK(has_line(solve(tables(), asked).why, "its nvcc takes gcc 11.4.0"));
}

TEST_CASE("a host compiler that NVCC_CCBIN names is taken from CUDA 12.5 on") {
  const auto why = [](const char* release, std::optional<CompilerFacts> without) {
    auto asked = question("", "580.95.05", "NVIDIA_A10");
    asked.toolkits = {*Version::parse(release)};
    asked.machine.compilers = {{"gcc", *Version::parse("12.2.0"), "/usr/bin/g++-12"}};
    if (without) asked.machine.compilers.push_back(*without);
    asked.machine.by_ccbin = true;
    asked.machine.without_ccbin = std::move(without);
    return solve(tables(), asked).why;
  };
  const CompilerFacts path{"gcc", *Version::parse("14.2.0"), "/usr/bin/gcc"};
  CHECK(has_line(why("12.5.0", path), "its nvcc takes gcc 12.2.0"));
  CHECK(has_line(why("12.4.1", path),
                 "its nvcc takes gcc 12.2.0, not gcc 14.2.0: "
                 "`export NVCC_PREPEND_FLAGS='-ccbin /usr/bin/g++-12'`"));
  CHECK(has_line(why("12.4.1", std::nullopt),
                 "its nvcc takes gcc 12.2.0: "
                 "`export NVCC_PREPEND_FLAGS='-ccbin /usr/bin/g++-12'`"));
}

TEST_CASE("only what can be had is taken") {
  auto asked = question("tensorflow==2.15", "535.104.05", "NVIDIA_A10");
  asked.cudnn = {*Version::parse("8.9.5")};
  CHECK(solve(tables(), asked).cudnn->text() == "8.9.5.30");
  asked.toolkits = {*Version::parse("11.8.0")};
  CHECK_FALSE(solve(tables(), asked).toolkit);
  asked.toolkits.clear();
  CHECK_FALSE(solve(tables(), asked).toolkit);
}

}  // namespace
}  // namespace cudaenv::compat
