#include "gpu/smi.hpp"

#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

namespace cudaenv::gpu {
namespace {

using End = SmiAnswer::End;

constexpr const char* all_fields = "name,uuid,pci.bus_id,driver_version,memory.total,compute_cap";
constexpr const char* old_fields = "name,uuid,pci.bus_id,driver_version,memory.total";
constexpr int unknown_field = 2;  // the status of a query that names one
constexpr std::size_t most_gpus = 256;

// A cell that has something: not "[N/A]", "[Not Supported]", "[Unknown Error]".
std::string cell(const std::vector<std::string_view>& cells, std::size_t at) {
  if (at >= cells.size()) return {};
  const auto value = text::trimmed(cells[at]);
  return value.starts_with('[') ? std::string() : text::visible(value, 128);
}

// The version behind the first of these labels that has one.
std::optional<Version> labelled(std::string_view text,
                                std::initializer_list<std::string_view> labels) {
  for (const auto label : labels) {
    const auto at = text.find(label);
    if (at == std::string_view::npos) continue;
    const auto rest = text::trimmed(text.substr(at + label.size(), 64));
    const auto version = Version::parse(rest.substr(0, rest.find_first_of(" \t\r\n|")));
    if (version) return version;
  }
  return std::nullopt;
}

std::string one_line(const sys::Outcome& outcome) {
  const std::string all = outcome.out + "\n" + outcome.err;
  std::string result;
  for (const auto line : text::lines(all)) {
    const auto words = text::trimmed(line);
    if (words.empty()) continue;
    if (!result.empty()) result += "; ";
    result += words;
    if (result.size() > 300) break;
  }
  return text::visible(result, 300);
}

struct Asking {
  std::string program;
  const sys::Environment& environment;
  const Interrupt& interrupt;
  std::chrono::milliseconds limit;

  sys::Outcome ask(std::vector<std::string> arguments) const {
    sys::Command command;
    command.arguments = std::move(arguments);
    command.arguments.insert(command.arguments.begin(), program);
    command.environment = environment.variables();
    command.timeout = limit;
    return sys::run(command, interrupt);
  }
  sys::Outcome query(const char* fields) const {
    return ask({fmt::format("--query-gpu={}", fields), "--format=csv,noheader,nounits"});
  }
};

std::string smi_program(const sys::Environment& environment) {
  const auto found = sys::find_program("nvidia-smi", environment.get("PATH").value_or(""));
  if (found) return found->string();
  constexpr const char* of_wsl = "/usr/lib/wsl/lib/nvidia-smi";
  return sys::exists(of_wsl) ? of_wsl : "";
}

void read_query(SmiAnswer& answer, std::string_view out) {
  for (auto& found : read_smi_query(out)) {
    if (found.driver) answer.driver = found.driver;
    answer.gpus.push_back(std::move(found.gpu));
  }
}

}  // namespace

std::vector<SmiGpu> read_smi_query(std::string_view out) {
  std::vector<SmiGpu> gpus;
  for (const auto line : text::lines(out)) {
    const auto cells = text::split(line, ',');
    if (cells.size() < 5 || cells.size() > 6 || gpus.size() >= most_gpus) continue;
    SmiGpu found;
    found.gpu.name = cell(cells, 0);
    found.gpu.uuid = cell(cells, 1);
    found.gpu.bus_id = cell(cells, 2);
    found.driver = Version::parse(cell(cells, 3));
    if (const auto mib = text::parse_unsigned(cell(cells, 4)); mib && *mib < (1u << 30)) {
      found.gpu.memory_bytes = *mib << 20;
    }
    found.gpu.capability = ComputeCapability::parse(cell(cells, 5));
    // A message with commas in it is no GPU.
    if (!found.gpu.uuid.starts_with("GPU-") && !found.driver) continue;
    gpus.push_back(std::move(found));
  }
  return gpus;
}

SmiBanner read_smi_banner(std::string_view out) {
  return {labelled(out, {"KMD Version:", "Driver Version:"}),
          labelled(out, {"CUDA UMD Version:", "CUDA Version:"})};
}

std::optional<Version> read_smi_library(std::string_view out) {
  return labelled(out, {"NVML library version:"});
}

SmiAnswer ask_smi(const sys::Environment& environment, const Interrupt& interrupt,
                  std::chrono::milliseconds limit) {
  SmiAnswer answer;
  answer.program = smi_program(environment);
  if (answer.program.empty()) {
    answer.end = End::not_found;
    return answer;
  }
  const Asking smi{answer.program, environment, interrupt, limit};
  auto outcome = smi.query(all_fields);
  if (outcome.status == unknown_field) outcome = smi.query(old_fields);
  if (outcome.ok()) read_query(answer, outcome.out);
  if (outcome.ok() && !answer.driver) {
    outcome = smi.ask({});
    const auto banner = read_smi_banner(outcome.ok() ? outcome.out : "");
    answer.driver = banner.driver;
    answer.cuda = banner.cuda;
  }
  answer.status = outcome.status;
  answer.end = outcome.timed_out ? End::hung : outcome.ok() ? End::answered : End::refused;
  if (answer.end == End::refused) {
    answer.said = one_line(outcome);
    answer.library = read_smi_library(outcome.out);
  }
  return answer;
}

}  // namespace cudaenv::gpu
