#include "cli/doctor_print.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

using namespace cudaenv;
using compat::Severity;

namespace {

commands::DoctorResult result() {
  commands::DoctorResult result;
  result.root = "/";
  result.tables_date = "2026-11-30";
  result.findings = {
      {"driver.ceiling", Severity::note, "a note", {}, {}},
      {"driver.mismatch", Severity::error, "an error", {"one", "two"}, {"reboot"}},
      {"loader.empty-element", Severity::warning, "a warning", {}, {}},
  };
  doctor::ToolkitFacts toolkit;
  toolkit.path = "/opt/\"cuda\\12\n";
  toolkit.claims.push_back({"version.json", *Version::parse("12.1.1")});
  result.seen.toolkits.push_back(toolkit);
  GpuFacts gpu;
  gpu.name = "NVIDIA H200\xff";
  gpu.capability = ComputeCapability{9, 0};
  result.seen.driver.gpus.push_back(gpu);
  return result;
}

}  // namespace

TEST_CASE("errors come first, each with its id, reasons and what to type") {
  const auto text = cli::doctor_text(result(), cli::Style());
  const auto at = text.find("error: an error [driver.mismatch]\n  one\n  two\nhelp: reboot\n");
  REQUIRE(at != std::string::npos);
  CHECK(text.find("warning: a warning") > at);
  CHECK(text.find("note: a note") > text.find("warning: a warning"));
  CHECK(text.find("GPU      NVIDIA H200") != std::string::npos);
  CHECK(text.find("sm_90") != std::string::npos);
}

TEST_CASE("names of files that move the cursor reach no terminal") {
  auto odd = result();
  odd.findings = {{"library.forged", Severity::error, "lib\x1b[31m.so", {"a\nb"}, {"\x9b\x07"}}};
  const auto text = cli::doctor_text(odd, cli::Style());
  CHECK(text.find("error: lib\\x1B[31m.so [library.forged]\n  a\\nb\nhelp: \\x9B\\x07\n") !=
        std::string::npos);
}

TEST_CASE("without an error it says what works here, and what a missing driver leaves") {
  auto seen = result();
  seen.findings.erase(seen.findings.begin() + 1);
  auto& facts = seen.seen.driver.facts;
  facts.state = DriverState::working;
  CHECK(cli::doctor_verdict(seen) == "nothing here keeps CUDA from working");
  seen.findings.clear();
  CHECK(cli::doctor_verdict(seen) == "nothing is wrong");

  facts.state = DriverState::absent;
  const std::string nothing = "nothing of CUDA runs here without a working driver; ";
  CHECK(cli::doctor_verdict(seen) == nothing + "nor is there a toolkit with a host compiler");
  seen.seen.judged = {seen.seen.toolkits.front().path};
  seen.seen.toolkits.front().nvcc = "/opt/bin/nvcc";
  CHECK(cli::doctor_verdict(seen) == nothing + "nor is there a toolkit with a host compiler");
  seen.seen.compilers.chosen = CompilerFacts{"gcc", *Version::parse("12.2"), "/usr/bin/gcc"};
  CHECK(cli::doctor_verdict(seen) == nothing + "programs can be compiled, with CUDA 12.1.1");
  facts.state = DriverState::no_device;
  CHECK(cli::doctor_verdict(seen) == nothing + "programs can be compiled, with CUDA 12.1.1");

  // An image gets its driver from the host; another machine's is taken as named.
  seen.seen.for_image = true;
  CHECK(cli::doctor_verdict(seen) ==
        "nothing here keeps CUDA from working where the host has a driver");
  seen.seen.for_image = false;
  seen.seen.assumed_driver = true;
  facts.state = DriverState::unknown;
  CHECK(cli::doctor_verdict(seen) == "nothing is wrong");
}

TEST_CASE("JSON is well formed whatever bytes names have") {
  const auto json = nlohmann::json::parse(cli::doctor_json(result()));
  CHECK(json["errors"] == 1);
  CHECK(json["warnings"] == 1);
  CHECK(json["notes"] == 1);
  CHECK(json["gpus"][0]["capability"] == "9.0");
  CHECK(json["gpus"][0]["visible"] == false);
  CHECK(json["toolkits"][0]["path"] == "/opt/\"cuda\\12\n");
  CHECK(json["driver"]["module"].is_null());
  CHECK(json["findings"][1]["why"].size() == 2);
}

TEST_CASE("labels of the exposition format are escaped, and every line is a metric or a comment") {
  const auto text = cli::doctor_prometheus(result());
  CHECK(text.find("cudaenv_doctor_findings{severity=\"error\"} 1\n") != std::string::npos);
  CHECK(text.find("path=\"/opt/\\\"cuda\\\\12\\\\n\"") != std::string::npos);
  for (const auto line : text::lines(text)) {
    const bool comment = line.starts_with("# HELP ") || line.starts_with("# TYPE ");
    CHECK((comment || line.starts_with("cudaenv_")));
  }
}
