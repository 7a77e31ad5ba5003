#include "doctor/check_python.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "compat/tables.hpp"

using namespace cudaenv;
using namespace cudaenv::doctor;

namespace {

using End = PythonReport::End;

const compat::ErrorTexts& texts() {
  static const compat::ErrorTexts known(compat::builtin_tables());
  return known;
}

PythonReport torch_report() {
  return read_python_report(
      R"({"step": "python", "version": "3.11.7", "executable": "/env/bin/python", "prefix": "/env"}
{"step": "package", "name": "torch", "version": "2.1.2"}
{"step": "import", "module": "torch"}
{"step": "framework", "module": "torch", "version": "2.1.2+cu118", "cuda": "11.8", "file": "/env/t.py"}
{"step": "libraries", "module": "torch", "architectures": "sm_50 sm_80 sm_86 sm_90 compute_90", "cudnn": "8700", "error": null}
{"step": "device", "module": "torch", "name": "H200", "capability": "9.0", "error": null}
{"step": "cuda", "module": "torch", "available": true, "error": null}
{"step": "end"}
)");
}

std::vector<compat::Finding> judged(const PythonReport& report, PythonSurroundings around = {}) {
  around.python = "python3";
  return check_python(report, around, texts());
}

const compat::Finding* find(const std::vector<compat::Finding>& findings, std::string_view id) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const auto& each) { return each.id == id; });
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("a report tells Python, packages, and what a framework said") {
  const auto report = torch_report();
  CHECK(report.end == End::done);
  CHECK(report.version == "3.11.7");
  CHECK(report.prefix == "/env");
  CHECK(report.package("torch")->version == "2.1.2");
  CHECK(report.package("jax") == nullptr);
  REQUIRE(report.frameworks.size() == 1);
  const auto& torch = report.frameworks[0];
  CHECK(torch.imported);
  CHECK(torch.cuda == "11.8");
  CHECK(torch.compiled.size() == 4);
  CHECK(torch.available == true);
  REQUIRE(torch.devices.size() == 1);
  CHECK(torch.devices[0].capability == ComputeCapability{9, 0});
}

TEST_CASE("a report that was cut short is known up to there") {
  const auto report = read_python_report(
      "{\"step\": \"python\", \"version\": \"3.9.1\", \"executable\": null, \"prefix\": \"/e\"}\n"
      "{\"step\": \"import\", \"module\": \"jax\"}\n{\"step\": \"frame");
  CHECK(report.end == End::exited);
  CHECK(report.importing == "jax");
  CHECK(read_python_report("").end == End::exited);
}

TEST_CASE("what was printed before a report is not of it") {
  const auto report = read_python_report(
      "Loading python/3.11\n{\"step\": \"dance\"}\nno newline\n\x02\n"
      "{\"step\": \"python\", \"version\": \"3.9.1\", \"executable\": null, \"prefix\": null}\n"
      "{\"step\": \"end\"}\n");
  CHECK(report.end == End::done);
  CHECK(report.version == "3.9.1");
}

TEST_CASE("of what a Python that ended printed the line that names an error is told") {
  PythonReport report;
  report.end = End::exited;
  report.said =
      "ModuleNotFoundError: No module named 'encodings'\n\nCurrent thread:\n  <no Python frame>\n";
  auto findings = judged(report);
  REQUIRE(find(findings, "python.exits"));
  CHECK(find(findings, "python.exits")->why[0] ==
        "it said: ModuleNotFoundError: No module named 'encodings'");
  report.said = "one\ntwo\n\n";
  findings = judged(report);
  CHECK(find(findings, "python.exits")->why[0] == "it said: two");
}

TEST_CASE("an environment whose Python is gone is told from a Python that cannot be run") {
  PythonReport report;
  report.end = End::refused;
  report.said = "cannot run `python3`: exec format error";
  auto findings = judged(report);
  REQUIRE(find(findings, "python.unusable"));
  CHECK(find(findings, "python.unusable")->why[0] ==
        "it said: cannot run `python3`: exec format error");
  report.detail = "/gone/python3.9";
  findings = judged(report);
  CHECK(find(findings, "python.unusable")->why[0].find("`/gone/python3.9`") != std::string::npos);
}

TEST_CASE("what the probe does not print is refused") {
  for (const char* text :
       {"hello\n", "[]\n", "{}\n", "{\"step\": 3}\n", "{\"step\": \"dance\"}\n",
        "{\"step\": \"python\"}\n", "{\"step\": \"package\", \"name\": [], \"version\": null}\n",
        "{\"step\": \"cuda\", \"module\": \"torch\", \"available\": true, \"error\": null}\n",
        "{\"step\": \"import\", \"module\": \"torch\"}\n"
        "{\"step\": \"cuda\", \"module\": \"torch\", \"available\": 1, \"error\": null}\n"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_python_report(text), Error);
  }
}

TEST_CASE("a framework that sees its GPU and fits the toolkit has nothing against it") {
  PythonSurroundings around;
  around.toolkit = Version::parse("11.8.0");
  around.gpus.push_back({"NVIDIA H200", "", "", ComputeCapability{9, 0}, {}, false});
  const auto findings = judged(torch_report(), around);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "python.sees-gpus");
  CHECK(findings[0].severity == compat::Severity::note);
}

TEST_CASE("F03: a toolkit of another major than the framework's is told") {
  PythonSurroundings around;
  around.toolkit = Version::parse("12.6.3");
  auto findings = judged(torch_report(), around);
  REQUIRE(find(findings, "python.extension-major"));
  CHECK(find(findings, "python.extension-major")->severity == compat::Severity::warning);
  around.toolkit = Version::parse("11.7.1");
  CHECK(find(judged(torch_report(), around), "python.extension-minor"));
}

TEST_CASE("a GPU that the framework holds no code for is an error") {
  PythonSurroundings around;
  around.gpus.push_back({"NVIDIA GeForce RTX 5090", "", "", ComputeCapability{12, 0}, {}, false});
  around.gpus.push_back({"NVIDIA GeForce RTX 4090", "", "", ComputeCapability{8, 9}, {}, false});
  const auto findings = judged(torch_report(), around);
  REQUIRE(find(findings, "python.no-code"));
  CHECK(find(findings, "python.no-code")->seen.find("5090") != std::string::npos);
  CHECK(std::count_if(findings.begin(), findings.end(),
                      [](const auto& each) { return each.id == "python.no-code"; }) == 1);
}

TEST_CASE("F01: the cuDNN that a framework refuses is explained") {
  auto report = torch_report();
  report.frameworks[0].cudnn_error =
      "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (8, 3, 2) but "
      "found runtime version (8, 0, 3). PyTorch already comes bundled with cuDNN.";
  const auto findings = judged(report);
  const auto* found = find(findings, "python.cudnn-refused");
  REQUIRE(found);
  CHECK(found->severity == compat::Severity::error);
  CHECK_FALSE(found->help.empty());
}

TEST_CASE("F11: libraries from outside of an environment that brings its own are told") {
  auto report = torch_report();
  report.loaded = {"/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05",
                   "/env/lib/python3.11/site-packages/nvidia/cusparse/lib/libcusparse.so.12"};
  CHECK_FALSE(find(judged(report), "python.foreign-libraries"));
  report.loaded.emplace_back("/usr/local/cuda-12.1/lib64/libnvJitLink.so.12");
  const auto findings = judged(report);
  const auto* found = find(findings, "python.foreign-libraries");
  REQUIRE(found);
  CHECK(found->why == std::vector<std::string>{"/usr/local/cuda-12.1/lib64/libnvJitLink.so.12"});
}

TEST_CASE("the real error behind `false` is told, and a build for the CPU as such") {
  auto report = torch_report();
  report.frameworks[0].devices.clear();
  report.frameworks[0].available = false;
  report.frameworks[0].error = "RuntimeError: No CUDA GPUs are available";
  PythonSurroundings around;
  around.driver_works = true;
  const auto findings = judged(report, around);
  const auto* found = find(findings, "python.no-gpu");
  REQUIRE(found);
  CHECK(found->why[0].find("No CUDA GPUs are available") != std::string::npos);
  CHECK(found->why[1] == "the driver itself works");
  CHECK(std::any_of(found->help.begin(), found->help.end(), [](const auto& help) {
    return help.find("CUDA_VISIBLE_DEVICES") != std::string::npos;
  }));
  report.frameworks[0].cuda.clear();
  CHECK(find(judged(report), "python.cpu-build"));
}

TEST_CASE(
    "of another machine what is seen of GPUs here does not count, what it was built for does") {
  auto report = torch_report();
  report.frameworks[0].available = false;
  report.frameworks[0].devices[0].error = "RuntimeError: CUDA error: no kernel image";
  PythonSurroundings around;
  around.elsewhere = true;
  around.gpus.push_back({"NVIDIA GeForce RTX 5090", "", "", ComputeCapability{12, 0}, {}, false});
  const auto findings = judged(report, around);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "python.no-code");
  report.frameworks[0].cuda.clear();
  CHECK(find(judged(report, around), "python.cpu-build"));
}

TEST_CASE("JAX is a build for the CPU where no plugin is there and it tells no CUDA") {
  auto report = read_python_report(
      R"({"step": "python", "version": "3.11.7", "executable": "/env/bin/python", "prefix": "/env"}
{"step": "package", "name": "jax", "version": "0.10.2"}
{"step": "module", "module": "jax"}
{"step": "import", "module": "jax"}
{"step": "framework", "module": "jax", "version": "0.10.2", "cuda": null, "file": "/env/j.py"}
{"step": "cuda", "module": "jax", "available": false, "error": "RuntimeError: Unknown backend cuda. Available backends are ['cpu']"}
{"step": "end"}
)");
  CHECK(report.modules == std::vector<std::string>{"jax"});
  CHECK(find(judged(report), "python.cpu-build"));
  report.frameworks[0].cuda = "12.9";
  CHECK(find(judged(report), "python.no-gpu"));
  report.frameworks[0].cuda.clear();
  report.packages.push_back({"jax-cuda12-plugin", "0.10.2"});
  CHECK(find(judged(report), "python.no-gpu"));
}
