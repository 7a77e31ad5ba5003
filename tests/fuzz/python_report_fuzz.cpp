// What a Python prints that should print the probe's report.
#include <string>

#include "base/text.hpp"
#include "compat/tables.hpp"
#include "doctor/check_python.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;

void expect_told_well(const std::string& line) {
  expect(!line.empty() && text::visible(line, 10'000) == line, "a line of a finding is one line");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const compat::ErrorTexts texts(compat::builtin_tables());
  const auto input = fuzz::text_of(data, size);
  auto report = fuzz::result_of([&] { return doctor::read_python_report(input); });
  if (!report) return 0;
  report->said = std::string(input);
  doctor::PythonSurroundings around;
  around.python = "python3";
  around.toolkit = Version::parse("12.1.1");
  around.gpus.push_back({"NVIDIA H200", "", "", ComputeCapability{9, 0}, {}, false});
  for (const auto& finding : doctor::check_python(*report, around, texts)) {
    expect_told_well(finding.id);
    expect_told_well(finding.seen);
    for (const auto& why : finding.why) expect_told_well(why);
    for (const auto& help : finding.help) expect_told_well(help);
  }
  return 0;
}
