// What NVIDIA and the frameworks say, case by case: expected.txt.
#include "expected.hpp"

#include <map>

#include <doctest/doctest.h>

#include "catalog/index.hpp"
#include "compat/build.hpp"
#include "compat/driver.hpp"
#include "compat/gpu.hpp"
#include "compat/libraries.hpp"

namespace cudaenv::compat {
namespace {

const Tables& tables() { return builtin_tables(); }

Version version(const std::string& text) { return Version::parse(text).value(); }

TEST_CASE("a driver runs the toolkits that NVIDIA says it runs") {
  const std::map<DriverSupport, std::string> letters{{DriverSupport::native, "N"},
                                                     {DriverSupport::minor_version, "M"},
                                                     {DriverSupport::forward_compat, "F"},
                                                     {DriverSupport::none, "-"}};
  const auto cases = expected_cases("driver");
  CHECK(cases.size() > 500);
  for (const auto& each : cases) {
    CAPTURE(each.text());
    const auto verdict =
        judge_driver(tables(), version(each.column), driver_of(each.row), gpus_of(each.held));
    CHECK(letters.at(verdict.support) == each.expected);
    CHECK((worst(verdict.findings) == Severity::error) == (each.expected == "-"));
  }
}

TEST_CASE("a toolkit compiles for the GPUs that its nvcc names") {
  const std::map<GpuSupport, std::string> letters{{GpuSupport::compiled, "C"},
                                                  {GpuSupport::compatible, "s"},
                                                  {GpuSupport::jit_only, "J"},
                                                  {GpuSupport::dropped, "X"}};
  const auto cases = expected_cases("gpu");
  CHECK(cases.size() >= 300);
  for (const auto& each : cases) {
    CAPTURE(each.text());
    const auto verdict = judge_gpu(tables(), version(each.column), gpus_of(each.row)[0], {});
    REQUIRE(letters.count(verdict.support) > 0);
    CHECK(letters.at(verdict.support) == each.expected);
  }
}

TEST_CASE("a toolkit takes the host compilers that its headers let pass") {
  for (const std::string family : {"gcc", "clang"}) {
    const auto cases = expected_cases(family);
    CHECK(cases.size() >= 150);
    for (const auto& each : cases) {
      CAPTURE(family);
      CAPTURE(each.text());
      const auto verdict =
          judge_compiler(tables(), version(each.column), {family, version(each.row), ""});
      const std::string letter = verdict.fit == Fit::fits                       ? "Y"
                                 : verdict.fit == Fit::too_old                  ? "o"
                                 : worst(verdict.findings) == Severity::warning ? "?"
                                                                                : "n";
      CHECK(letter == each.expected);
    }
  }
}

TEST_CASE("F29: a C library whose headers clash with a toolkit's is told before compiling") {
  const auto cases = expected_cases("glibc");
  CHECK(cases.size() >= 28);
  for (const auto& each : cases) {
    CAPTURE(each.text());
    const auto verdict = judge_glibc(tables(), version(each.column), version(each.row));
    CHECK((verdict.fit == Fit::fits ? "Y" : "n") == each.expected);
    CHECK(verdict.findings.empty() == (verdict.fit == Fit::fits));
  }
}

TEST_CASE("a cuDNN serves the toolkits that its support matrix lists") {
  const std::map<LibrarySupport, std::string> letters{{LibrarySupport::listed, "L"},
                                                      {LibrarySupport::same_major, "m"},
                                                      {LibrarySupport::other_major, "o"},
                                                      {LibrarySupport::unknown, "?"}};
  const auto cases = expected_cases("cudnn");
  CHECK(cases.size() >= 100);
  for (const auto& each : cases) {
    CAPTURE(each.text());
    const auto verdict = judge_cudnn(tables(), version(each.column), version(each.row));
    CHECK(letters.at(verdict.support) == each.expected);
  }
}

TEST_CASE("a patch of cuDNN that only wheels have is judged by others of its series") {
  // nvidia-cudnn-cu13 9.19.0.56 comes with PyTorch 2.11; NVIDIA's archives have 9.19.1.2.
  const auto verdict = judge_cudnn(tables(), version("13.0.0"), version("9.19.0"));
  CHECK(verdict.support == LibrarySupport::same_major);
  REQUIRE(verdict.findings.size() == 1);
  CHECK(verdict.findings[0].id == "cudnn.unknown");
  CHECK(verdict.findings[0].why.back() ==
        "9.19.1.2 of the same series is, and is built for CUDA 13");
  CHECK(judge_cudnn(tables(), version("13.0.0"), version("9.99.0")).support ==
        LibrarySupport::unknown);
  CHECK(judge_cudnn(tables(), version("11.8.0"), version("9.19.0")).support ==
        LibrarySupport::unknown);
}

std::string gravest(const std::vector<Finding>& findings) {
  const Finding* found = nullptr;
  for (const auto& finding : findings) {
    if (!found || found->severity < finding.severity) found = &finding;
  }
  if (!found) return "fine";
  return found->severity == Severity::note ? found->id + "(note)" : found->id;
}

TEST_CASE("a framework works with what its project says it works with") {
  const auto cases = expected_cases("framework");
  CHECK(cases.size() >= 70);
  for (const auto& each : cases) {
    CAPTURE(each.text());
    const auto& words = each.words;
    REQUIRE(words.size() == 7);
    Surroundings around;
    around.toolkit = version_of(words[1]);
    around.cudnn = version_of(words[2]);
    if (words[3] != ".") around.driver = driver_of(words[3]);
    around.gpus = gpus_of(words[4]);
    around.python = version_of(words[5]);
    const auto verdict =
        judge_framework(tables(), FrameworkWish::parse(tables(), words[0]), around);
    // Seen by those who ask for a framework: what a driver does in full needs no word.
    auto findings = verdict.findings;
    std::erase_if(findings, [](const auto& finding) {
      return finding.id == "driver.older-than-bundled" || finding.id == "gpu.deprecated";
    });
    CHECK(gravest(findings) == words[6]);
  }
}

TEST_CASE("the solver takes what the sources allow") {
  const auto cases = expected_cases("solve");
  CHECK(cases.size() >= 20);
  for (const auto& each : cases) {
    CAPTURE(each.text());
    const auto& words = each.words;
    REQUIRE(words.size() == 7);
    Question question;
    if (words[0] != ".") question.framework = FrameworkWish::parse(tables(), words[0]);
    if (words[1] != ".") question.machine.driver = driver_of(words[1]);
    question.machine.gpus = gpus_of(words[2]);
    if (words[3] != ".") {
      const auto dash = words[3].find('-');
      question.machine.compilers.push_back(
          {words[3].substr(0, dash), version(words[3].substr(dash + 1)), ""});
    }
    question.machine.glibc = version_of(words[4]);
    question.toolkits = catalog::versions("cuda");
    question.cudnn = catalog::versions("cudnn");
    const auto answer = solve(tables(), question);
    CHECK((answer.toolkit ? answer.toolkit->text() : "none") == words[5]);
    CHECK((answer.cudnn ? answer.cudnn->text() : ".") == words[6]);
    for (const auto& rejected : answer.newer) CHECK_FALSE(rejected.reason.empty());
  }
}

}  // namespace
}  // namespace cudaenv::compat
