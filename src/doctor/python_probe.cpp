#include "doctor/python_probe.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "embedded/python.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "sys/tree.hpp"

namespace cudaenv::doctor {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_lines = 4000;
constexpr std::size_t longest_line = 65'536;
constexpr std::size_t longest_text = 2000;
constexpr std::size_t most_said = 65'536;
constexpr std::string_view beginning = "\n\x02\n";  // of the report, on its own line

// The members of one line, each of which has to be there and of its kind.
class Line {
 public:
  Line(std::string_view text, std::size_t number) : number_(number) {
    if (text.size() > longest_line) refuse("it is too long");
    object_ = Json::parse(text, nullptr, false);
    if (!object_.is_object()) refuse(fmt::format("`{}` is no object", text::visible(text, 60)));
  }

  std::string step() const { return needed("step"); }
  std::string needed(const char* key) const {
    const auto value = maybe(key);
    if (value.empty()) refuse(fmt::format("`{}` is empty", key));
    return value;
  }
  // Empty for null.
  std::string maybe(const char* key) const {
    const Json& value = member(key);
    if (value.is_null()) return {};
    if (!value.is_string()) refuse(fmt::format("`{}` is no text", key));
    return text::visible(value.get_ref<const std::string&>(), longest_text);
  }
  bool flag(const char* key) const {
    const Json& value = member(key);
    if (!value.is_boolean()) refuse(fmt::format("`{}` is neither true nor false", key));
    return value.get<bool>();
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorKind::corrupt, "Python's report cannot be used")
        .because(fmt::format("line {}: {}", number_, why));
  }

 private:
  const Json& member(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) refuse(fmt::format("`{}` is missing", key));
    return *found;
  }

  Json object_;
  std::size_t number_;
};

// "sm_70 sm_80 compute_90": what a program is compiled for; PTX serves newer GPUs too, and is not
// counted.
std::vector<ComputeCapability> compiled_of(const std::string& flags) {
  std::vector<ComputeCapability> result;
  for (const auto word : text::split(flags, ' ')) {
    if (!word.starts_with("sm_")) continue;
    if (const auto capability = ComputeCapability::parse(word)) result.push_back(*capability);
  }
  return result;
}

FrameworkReport& framework_of(PythonReport& report, const Line& line) {
  const auto module = line.needed("module");
  for (auto& each : report.frameworks) {
    if (each.module == module) return each;
  }
  line.refuse(fmt::format("`{}` was not to be imported", module));
}

void take_import(PythonReport& report, const Line& line) {
  report.importing = line.needed("module");
  report.frameworks.emplace_back();
  report.frameworks.back().module = report.importing;
}

void take_framework(PythonReport& report, const Line& line) {
  auto& framework = framework_of(report, line);
  framework.imported = true;
  framework.version = line.needed("version");
  framework.cuda = line.maybe("cuda");
  framework.file = line.maybe("file");
}

void take_libraries(PythonReport& report, const Line& line) {
  auto& framework = framework_of(report, line);
  framework.compiled = compiled_of(line.maybe("architectures"));
  framework.cudnn = line.maybe("cudnn");
  framework.cudnn_error = line.maybe("error");
}

void take_device(PythonReport& report, const Line& line) {
  FrameworkDevice device{line.maybe("name"), ComputeCapability::parse(line.maybe("capability")),
                         line.maybe("error")};
  framework_of(report, line).devices.push_back(std::move(device));
}

void take_cuda(PythonReport& report, const Line& line) {
  auto& framework = framework_of(report, line);
  framework.available = line.flag("available");
  framework.error = line.maybe("error");
}

void take_python(PythonReport& report, const Line& line) {
  report.version = line.needed("version");
  report.executable = line.maybe("executable");
  report.prefix = line.maybe("prefix");
}

void take(PythonReport& report, const Line& line) {
  using Taker = void (*)(PythonReport&, const Line&);
  static const std::map<std::string, Taker, std::less<>> takers{
      {"python", take_python},
      {"import", take_import},
      {"framework", take_framework},
      {"libraries", take_libraries},
      {"device", take_device},
      {"cuda", take_cuda},
      {"package",
       [](PythonReport& into, const Line& from) {
         into.packages.push_back({from.needed("name"), from.maybe("version")});
       }},
      {"module",
       [](PythonReport& into, const Line& from) { into.modules.push_back(from.needed("module")); }},
      {"failed", [](PythonReport& into,
                    const Line& from) { framework_of(into, from).failed = from.needed("error"); }},
      {"loaded",
       [](PythonReport& into, const Line& from) { into.loaded.push_back(from.needed("path")); }},
      {"end", [](PythonReport& into, const Line&) {
         into.end = PythonReport::End::done;
         into.importing.clear();
       }}};
  const auto taker = takers.find(line.step());
  if (taker == takers.end()) line.refuse("its step is not known");
  taker->second(report, line);
}

}  // namespace

const Package* PythonReport::package(std::string_view name) const {
  const auto found = std::find_if(packages.begin(), packages.end(),
                                  [&](const Package& each) { return each.name == name; });
  return found == packages.end() ? nullptr : &*found;
}

PythonReport read_python_report(std::string_view text) {
  PythonReport report;
  // A sitecustomize or a wrapper of Python may have printed before.
  if (const auto at = text.find(beginning); at != std::string_view::npos) {
    text.remove_prefix(at + beginning.size());
  }
  report.end = PythonReport::End::exited;
  const auto lines = text::lines(text);
  // The last line may have been cut by the end of the process.
  const bool whole = text.empty() || text.back() == '\n';
  const std::size_t count = lines.size() - (whole ? 0 : 1);
  if (count > most_lines) {
    throw Error(ErrorKind::corrupt, "Python's report cannot be used")
        .because(fmt::format("it has {} lines", count));
  }
  for (std::size_t i = 0; i < count; ++i) take(report, Line(lines[i], i + 1));
  return report;
}

PythonReport ask_python(const std::string& python, const std::vector<std::string>& modules,
                        const sys::Environment& environment, const Interrupt& interrupt,
                        std::chrono::milliseconds limit) {
  sys::Command command;
  command.arguments = {python, "-c", std::string(*embedded::python::find("python_probe.py"))};
  command.arguments.insert(command.arguments.end(), modules.begin(), modules.end());
  command.environment = environment.variables();
  command.timeout = limit;
  const auto outcome = sys::run(command, interrupt);

  PythonReport report;
  try {
    report = read_python_report(outcome.out);
  } catch (const Error& error) {
    report.end = PythonReport::End::garbage;
    report.detail = error.what();
  }
  report.said = outcome.err.substr(outcome.err.size() - std::min(outcome.err.size(), most_said));
  report.status = outcome.status;
  report.signal = outcome.signal;
  if (outcome.not_found) {
    report.end = PythonReport::End::not_found;
  } else if (outcome.refused) {
    report.end = PythonReport::End::refused;
    if (!sys::stat_target(python)) {
      std::error_code no_folder;
      const auto path = std::filesystem::absolute(python, no_folder).string();
      report.detail = sys::Tree().hops(path).back();
    }
  } else if (outcome.timed_out) {
    report.end = PythonReport::End::timed_out;
  } else if (outcome.signal != 0) {
    report.end = PythonReport::End::crashed;
  }
  return report;
}

}  // namespace cudaenv::doctor
