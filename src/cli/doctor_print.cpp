#include "cli/doctor_print.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/findings_print.hpp"
#include "cli/json_parts.hpp"
#include "cli/table.hpp"

namespace cudaenv::cli {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string text_of(const std::optional<Version>& version, std::string_view otherwise = "unknown") {
  return version ? version->text() : std::string(otherwise);
}

std::string driver_text(const doctor::Observed& seen) {
  const auto& facts = seen.driver.facts;
  if (!facts.version() && !facts.cuda) return std::string(name_of(facts.state));
  std::string line = text_of(facts.version());
  if (seen.assumed_driver) return line + ", assumed";
  if (facts.open_module) line += ", open kernel module";
  if (facts.cuda) line += fmt::format(", runs CUDA up to {}", facts.cuda->text());
  if (facts.state != DriverState::working && facts.state != DriverState::unknown) {
    line += fmt::format("; {}", name_of(facts.state));
  }
  return line;
}

std::string gpu_text(const GpuFacts& gpu) {
  std::vector<std::string> parts{gpu.name.empty() ? std::string("unknown GPU") : gpu.name};
  if (gpu.capability) parts.push_back(gpu.capability->sm());
  if (gpu.memory_bytes) parts.push_back(text::bytes(*gpu.memory_bytes));
  if (gpu.mig) parts.emplace_back("instance");
  if (!gpu.bus_id.empty()) parts.push_back(gpu.bus_id);
  return text::join(parts, ", ");
}

std::string compiler_text(const CompilerFacts& compiler) {
  std::string line = fmt::format("{} {}", compiler.family, compiler.version.text());
  if (!compiler.path.empty()) line += fmt::format(" ({})", text::visible(compiler.path));
  return line;
}

bool is_judged(const doctor::Observed& seen, const doctor::ToolkitFacts& facts) {
  return std::find(seen.judged.begin(), seen.judged.end(), facts.path) != seen.judged.end();
}

void add_toolkits(const doctor::Observed& seen, Rows& rows, const Style& style) {
  const auto* active = seen.active();
  for (const auto& facts : seen.toolkits) {
    std::string line =
        fmt::format("{} in {}", text_of(facts.version()), text::visible(facts.path, 400));
    if (&facts == active) {
      line += fmt::format(", active ({})", text::join(facts.named_by, ", "));
    }
    rows.push_back({style.bold("toolkit"), std::move(line)});
  }
  if (seen.toolkits.empty()) rows.push_back({style.bold("toolkit"), "none"});
  for (const auto& nvcc : seen.nvccs) {
    rows.push_back({style.bold("nvcc"),
                    fmt::format("{} is {}", text::visible(nvcc.path, 400), text_of(nvcc.version))});
  }
}

// A toolkit that is judged and has an nvcc; null where none is.
const doctor::ToolkitFacts* compiling_toolkit(const doctor::Observed& seen) {
  for (const auto& path : seen.judged) {
    const auto* facts = seen.toolkit(path);
    if (facts && facts->is_compiler()) return facts;
  }
  return nullptr;
}

// What the nvcc of that toolkit takes.
std::optional<CompilerFacts> taken_compiler(const doctor::Observed& seen) {
  const auto* toolkit = compiling_toolkit(seen);
  const auto version = toolkit ? toolkit->version() : std::nullopt;
  return version ? seen.compilers.with(*version).chosen : seen.compilers.chosen;
}

Rows summary(const commands::DoctorResult& result, const Style& style) {
  const auto& seen = result.seen;
  Rows rows;
  if (!seen.machine) rows.push_back({style.bold("root"), text::visible(result.root, 400)});
  rows.push_back({style.bold("driver"), driver_text(seen)});
  for (const auto& gpu : seen.driver.gpus) rows.push_back({style.bold("GPU"), gpu_text(gpu)});
  if (seen.driver.gpus.empty()) rows.push_back({style.bold("GPU"), "none"});
  add_toolkits(seen, rows, style);
  if (const auto compiler = taken_compiler(seen)) {
    rows.push_back({style.bold("compiler"), compiler_text(*compiler)});
  }
  if (seen.glibc) rows.push_back({style.bold("glibc"), seen.glibc->text()});
  return rows;
}

struct Counts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t notes = 0;
};

Counts counts_of(const doctor::Findings& findings) {
  Counts counts;
  for (const auto& finding : findings) {
    if (finding.severity == compat::Severity::error) ++counts.errors;
    if (finding.severity == compat::Severity::warning) ++counts.warnings;
    if (finding.severity == compat::Severity::note) ++counts.notes;
  }
  return counts;
}

Json driver_json(const doctor::Observed& seen) {
  const auto& facts = seen.driver.facts;
  return {{"state", name_of(facts.state)},
          {"assumed", seen.assumed_driver},
          {"module", json_of(facts.module_version)},
          {"library", json_of(facts.library_version)},
          {"cuda", json_of(facts.cuda)},
          {"error", json_of(facts.error)},
          {"open_module", facts.open_module},
          {"compat_library", facts.compat_library},
          {"libcuda", json_of(seen.driver.libcuda)},
          {"container", json_of(seen.driver.kernel.container)},
          {"wsl", seen.driver.kernel.wsl},
          {"l4t", json_of(seen.driver.kernel.l4t)}};
}

Json gpus_json(const doctor::Observed& seen) {
  Json list = Json::array();
  const auto& visible = seen.driver.visible;
  for (const auto& gpu : seen.driver.gpus) {
    const bool shown = std::find(visible.begin(), visible.end(), gpu.uuid) != visible.end();
    list.push_back({{"name", json_of(gpu.name)},
                    {"uuid", json_of(gpu.uuid)},
                    {"bus_id", json_of(gpu.bus_id)},
                    {"capability", gpu.capability ? Json(gpu.capability->text()) : Json(nullptr)},
                    {"memory_bytes", json_of(gpu.memory_bytes)},
                    {"mig", gpu.mig},
                    {"visible", shown}});
  }
  return list;
}

Json toolkits_json(const doctor::Observed& seen) {
  Json list = Json::array();
  for (const auto& facts : seen.toolkits) {
    list.push_back({{"path", facts.path},
                    {"version", json_of(facts.version())},
                    {"owner", doctor::name_of(facts.owner)},
                    {"active", &facts == seen.active()},
                    {"judged", is_judged(seen, facts)},
                    {"named_by", facts.named_by},
                    {"nvcc", json_of(facts.nvcc)}});
  }
  return list;
}

Json nvccs_json(const doctor::Observed& seen) {
  Json list = Json::array();
  for (const auto& nvcc : seen.nvccs) {
    list.push_back({{"path", nvcc.path},
                    {"prefix", nvcc.prefix},
                    {"version", json_of(nvcc.version)},
                    {"owner", doctor::name_of(nvcc.owner)}});
  }
  return list;
}

Json compiler_json(const std::optional<CompilerFacts>& compiler) {
  if (!compiler) return nullptr;
  return {{"family", compiler->family},
          {"version", compiler->version.text()},
          {"path", json_of(compiler->path)}};
}

// A label's value as the exposition format wants it.
std::string label(std::string_view value) {
  std::string result;
  for (const char c : text::visible(value, 400)) {
    if (c == '\\' || c == '"') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string_view name_of(DriverState state) {
  switch (state) {
    case DriverState::working:
      return "working";
    case DriverState::absent:
      return "absent";
    case DriverState::no_module:
      return "no-module";
    case DriverState::no_library:
      return "no-library";
    case DriverState::no_device:
      return "no-device";
    case DriverState::mismatch:
      return "mismatch";
    case DriverState::broken:
      return "broken";
    case DriverState::unknown:
      break;
  }
  return "unknown";
}

std::string doctor_text(const commands::DoctorResult& result, const Style& style) {
  std::string text = table(summary(result, style));
  const std::string findings = findings_text(result.findings, style);
  if (!findings.empty()) text += "\n" + findings;
  return text;
}

std::string doctor_verdict(const commands::DoctorResult& result) {
  const auto& seen = result.seen;
  const auto state = seen.driver.facts.state;
  const bool runs = seen.assumed_driver || state == DriverState::working;
  if (runs) {
    return result.findings.empty() ? "nothing is wrong" : "nothing here keeps CUDA from working";
  }
  if (seen.for_image || !seen.machine) {
    return "nothing here keeps CUDA from working where the host has a driver";
  }
  const auto* toolkit = compiling_toolkit(seen);
  return fmt::format("nothing of CUDA runs here without a working driver; {}",
                     toolkit && taken_compiler(seen)
                         ? fmt::format("programs can be compiled, with CUDA {}",
                                       text_of(toolkit->version(), "of unknown version"))
                         : "nor is there a toolkit with a host compiler");
}

std::string doctor_json(const commands::DoctorResult& result) {
  const auto& seen = result.seen;
  Json installed = Json::array();
  for (const auto& compiler : seen.compilers.installed)
    installed.push_back(compiler_json(compiler));
  const auto counts = counts_of(result.findings);
  const Json json{{"schema", 1},
                  {"root", result.root},
                  {"tables", result.tables_date},
                  {"errors", counts.errors},
                  {"warnings", counts.warnings},
                  {"notes", counts.notes},
                  {"driver", driver_json(seen)},
                  {"gpus", gpus_json(seen)},
                  {"toolkits", toolkits_json(seen)},
                  {"nvcc", nvccs_json(seen)},
                  {"compiler", compiler_json(taken_compiler(seen))},
                  {"compilers", std::move(installed)},
                  {"glibc", json_of(seen.glibc)},
                  {"findings", findings_json(result.findings)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string doctor_prometheus(const commands::DoctorResult& result) {
  const auto& seen = result.seen;
  const auto& facts = seen.driver.facts;
  const auto counts = counts_of(result.findings);
  std::string text =
      "# HELP cudaenv_doctor_findings What cudaenv doctor found, by severity.\n"
      "# TYPE cudaenv_doctor_findings gauge\n";
  text += fmt::format("cudaenv_doctor_findings{{severity=\"error\"}} {}\n", counts.errors);
  text += fmt::format("cudaenv_doctor_findings{{severity=\"warning\"}} {}\n", counts.warnings);
  text += fmt::format("cudaenv_doctor_findings{{severity=\"note\"}} {}\n", counts.notes);
  std::map<std::pair<std::string, std::string>, unsigned> by_id;
  for (const auto& finding : result.findings) {
    ++by_id[{finding.id, std::string(compat::name_of(finding.severity))}];
  }
  text +=
      "# HELP cudaenv_doctor_finding Findings by their id.\n"
      "# TYPE cudaenv_doctor_finding gauge\n";
  for (const auto& [key, count] : by_id) {
    text += fmt::format("cudaenv_doctor_finding{{id=\"{}\",severity=\"{}\"}} {}\n", key.first,
                        key.second, count);
  }
  text +=
      "# HELP cudaenv_driver_info The NVIDIA driver; 1 where it works.\n"
      "# TYPE cudaenv_driver_info gauge\n";
  text += fmt::format("cudaenv_driver_info{{state=\"{}\",version=\"{}\",cuda=\"{}\"}} {}\n",
                      name_of(facts.state), label(text_of(facts.version(), "")),
                      label(text_of(facts.cuda, "")), facts.state == DriverState::working ? 1 : 0);
  text +=
      "# HELP cudaenv_gpus GPUs that the machine has, instances of partitioned ones too.\n"
      "# TYPE cudaenv_gpus gauge\n";
  text += fmt::format("cudaenv_gpus {}\n", seen.driver.gpus.size());
  text +=
      "# HELP cudaenv_toolkit_info A toolkit; 1 for the active one.\n"
      "# TYPE cudaenv_toolkit_info gauge\n";
  for (const auto& facts_of : seen.toolkits) {
    text += fmt::format("cudaenv_toolkit_info{{path=\"{}\",version=\"{}\",owner=\"{}\"}} {}\n",
                        label(facts_of.path), label(text_of(facts_of.version(), "")),
                        doctor::name_of(facts_of.owner), &facts_of == seen.active() ? 1 : 0);
  }
  return text;
}

}  // namespace cudaenv::cli
