// What other programs, the kernel and broken drivers say: nvidia-smi, /proc, the reports of the
// children that load libraries, and the texts that tell a toolkit's version.
#include "base/text.hpp"
#include "doctor/compiler_facts.hpp"
#include "doctor/toolkit_facts.hpp"
#include "fuzz/fuzz.hpp"
#include "gpu/driver_report.hpp"
#include "gpu/xid.hpp"
#include "sys/kernel_log.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;

// Fit to show in a line: no control character.
void expect_shown(const std::string& text) {
  for (const char c : text) {
    expect(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "a text is fit to show");
  }
}

void expect_gpu(const GpuFacts& gpu) {
  for (const auto* text : {&gpu.name, &gpu.uuid, &gpu.bus_id}) expect_shown(*text);
  if (gpu.capability) expect(gpu.capability->minor <= 99, "a capability's minor is small");
}

void try_smi(std::string_view input) {
  for (const auto& found : gpu::read_smi_query(input)) expect_gpu(found.gpu);
  const auto banner = gpu::read_smi_banner(input);
  if (banner.driver) expect(input.find(banner.driver->text()) != input.npos, "a version was there");
  static_cast<void>(gpu::read_smi_library(input));
}

void try_kernel(std::string_view input) {
  const auto module = gpu::read_module_line(input);
  if (module.version) expect(module.version->parts().size() >= 2, "a driver has two numbers");
  static_cast<void>(gpu::read_l4t(input));
  expect_gpu(gpu::read_gpu_information(input));
  if (const auto message = sys::read_kernel_record(input)) {
    expect(message->text.find('\n') == std::string::npos, "a message is one line");
  }
  if (const auto xid = gpu::read_xid(input)) {
    expect_shown(xid->bus_id);
    expect_shown(xid->words);
  }
}

void try_reports(std::string_view input) {
  sys::ChildOutcome outcome;
  for (const auto line : text::lines(input)) outcome.lines.emplace_back(line);
  const int end = input.empty() ? 0 : static_cast<unsigned char>(input.front()) % 4;
  outcome.end = static_cast<sys::ChildOutcome::End>(end);
  gpu::DriverReport report;
  report.cuda = gpu::read_cuda_report(outcome);
  report.nvml = gpu::read_nvml_report(outcome);
  expect(report.cuda.gpus.size() <= outcome.lines.size(), "a GPU is a line at least");
  gpu::conclude(report);
  expect(report.facts.state != DriverState::working || report.cuda.works(), "what works answered");
}

void try_versions(std::string_view input) {
  static_cast<void>(doctor::version_of_json(input));
  static_cast<void>(doctor::version_of_text(input));
  static_cast<void>(doctor::version_of_header(input));
  static_cast<void>(doctor::version_of_nvcc(input));
  static_cast<void>(doctor::version_of_glibc(input));
  for (const auto line : text::split(input, '\n')) {
    if (const auto compiler = doctor::compiler_of_name(line)) {
      expect(line.ends_with(compiler->version.text()), "a compiler's version ends its name");
    }
    static_cast<void>(gpu::version_of_library(line));
    static_cast<void>(ComputeCapability::parse(line));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  try_smi(input);
  try_kernel(input);
  try_reports(input);
  try_versions(input);
  return 0;
}
