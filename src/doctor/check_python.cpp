#include "doctor/check_python.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv::doctor {
namespace {

using compat::Finding;
using compat::Severity;
using End = PythonReport::End;

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> modules{
    {{"pytorch", "torch"}, {"tensorflow", "tensorflow"}, {"jax", "jax"}}};

// Of what was printed the last line that names an error, else the last one. Python's own end may
// put a trace behind it.
std::string_view telling_line(std::string_view said) {
  std::string_view last;
  std::string_view error;
  for (const auto each : text::lines(said)) {
    const auto line = text::trimmed(each);
    if (line.empty()) continue;
    last = line;
    if (line.find("Error") != std::string_view::npos) error = line;
  }
  return error.empty() ? last : error;
}

class PythonJudge {
 public:
  PythonJudge(const PythonReport& report, const PythonSurroundings& around,
              const compat::ErrorTexts& texts)
      : report_(report), around_(around), texts_(texts) {}

  std::vector<Finding> judge() {
    judge_end();
    for (const auto& framework : report_.frameworks) judge_framework(framework);
    judge_loaded();
    return std::move(findings_);
  }

 private:
  void judge_end();
  void judge_framework(const FrameworkReport& framework);
  void judge_availability(const FrameworkReport& framework);
  void judge_devices(const FrameworkReport& framework);
  void judge_extensions(const FrameworkReport& framework);
  void judge_loaded();
  bool is_cpu_build(const FrameworkReport& framework) const;
  std::string shown(const FrameworkReport& framework) const;

  // With what is known of a foreign error text: its causes and what to type.
  void explain(Finding& finding, std::string_view text) const;
  void add(Finding finding) { findings_.push_back(std::move(finding)); }

  const PythonReport& report_;
  const PythonSurroundings& around_;
  const compat::ErrorTexts& texts_;
  std::vector<Finding> findings_;
};

void PythonJudge::explain(Finding& finding, std::string_view text) const {
  compat::LogReader reader(texts_);
  reader.feed(text);
  for (const auto& each : reader.finish()) {
    finding.why.insert(finding.why.end(), each.causes.begin(), each.causes.end());
    for (const auto& help : each.help) {
      if (std::find(finding.help.begin(), finding.help.end(), help) == finding.help.end()) {
        finding.help.push_back(help);
      }
    }
  }
}

std::string PythonJudge::shown(const FrameworkReport& framework) const {
  return framework.version.empty() ? framework.module
                                   : fmt::format("{} {}", framework.module, framework.version);
}

void PythonJudge::judge_end() {
  const std::string at = report_.importing.empty()
                             ? std::string("while it was asked")
                             : fmt::format("while it imported {}", report_.importing);
  const std::string python = text::visible(around_.python, 400);
  Finding finding{"", Severity::error, "", {}, {}};
  switch (report_.end) {
    case End::done:
      return;
    case End::not_found:
      finding.id = "python.missing";
      finding.seen = fmt::format("there is no `{}`", python);
      finding.help = {"name the Python of the environment: `--python PATH`"};
      break;
    case End::refused:
      finding.id = "python.unusable";
      finding.seen = fmt::format("`{}` cannot be run", python);
      finding.help = {"name the Python of the environment: `--python PATH`"};
      if (!report_.detail.empty()) {
        finding.why = {
            fmt::format("it leads to `{}`: the Python that the environment was made "
                        "with is gone",
                        text::visible(report_.detail, 400))};
        finding.help = {"make the environment anew, with a Python that is there"};
      }
      break;
    case End::exited:
      finding.id = "python.exits";
      finding.seen = fmt::format("`{}` ended with {} {}", python, report_.status, at);
      break;
    case End::crashed:
      finding.id = "python.crashes";
      finding.seen = fmt::format("`{}` was killed by signal {} {}", python, report_.signal, at);
      break;
    case End::timed_out:
      finding.id = "python.hangs";
      finding.seen = fmt::format("`{}` gave no answer in time {}", python, at);
      break;
    case End::garbage:
      finding.id = "python.garbage";
      finding.seen = fmt::format("`{}` printed something else than it was asked", python);
      finding.why = {report_.detail};
      break;
  }
  const auto line = telling_line(report_.said);
  if (!line.empty()) {
    finding.why.push_back(fmt::format("it said: {}", text::visible(line, 300)));
  }
  explain(finding, report_.said);
  add(std::move(finding));
}

bool PythonJudge::is_cpu_build(const FrameworkReport& framework) const {
  // JAX's plugin is a package of its own, and older ones do not tell what they were built for.
  if (framework.module != "jax" || !framework.cuda.empty()) return framework.cuda.empty();
  return std::none_of(report_.packages.begin(), report_.packages.end(),
                      [](const Package& each) { return each.name.starts_with("jax-cuda"); });
}

void PythonJudge::judge_framework(const FrameworkReport& framework) {
  if (!framework.failed.empty()) {
    Finding finding{"python.import-fails",
                    Severity::error,
                    fmt::format("{} cannot be imported", framework.module),
                    {text::visible(framework.failed, 600)},
                    {}};
    explain(finding, framework.failed);
    add(std::move(finding));
    return;
  }
  if (!framework.imported) return;
  if (!framework.cudnn_error.empty()) {
    Finding finding{"python.cudnn-refused",
                    Severity::error,
                    fmt::format("{} refuses the cuDNN that it met", shown(framework)),
                    {text::visible(framework.cudnn_error, 600)},
                    {}};
    explain(finding, framework.cudnn_error);
    add(std::move(finding));
  }
  judge_availability(framework);
  judge_devices(framework);
  judge_extensions(framework);
}

void PythonJudge::judge_availability(const FrameworkReport& framework) {
  if (!framework.available) return;
  const std::string built =
      framework.cuda.empty() ? std::string() : fmt::format(", built for CUDA {}", framework.cuda);
  if (*framework.available) {
    add({"python.sees-gpus",
         Severity::note,
         fmt::format("{}{} sees {}", shown(framework), built,
                     text::counted(framework.devices.size(), "GPU")),
         {},
         {}});
    return;
  }
  if (is_cpu_build(framework)) {
    add({"python.cpu-build",
         Severity::error,
         fmt::format("{} was built for the CPU", shown(framework)),
         {"no driver and no toolkit makes it use a GPU"},
         {"install its build for CUDA: `cudaenv compat` has the line"}});
    return;
  }
  if (around_.elsewhere) return;
  // Where the driver itself does not work, doctor says so as an error of its own.
  Finding finding{"python.no-gpu",
                  Severity::error,
                  fmt::format("{}{} sees no GPU", shown(framework), built),
                  {},
                  {}};
  finding.why.push_back(framework.error.empty() ? std::string("it gives no reason")
                                                : text::visible(framework.error, 600));
  // JAX and TensorFlow go on without GPUs, and print why before.
  const auto line = telling_line(report_.said);
  if (framework.module != "torch" && !line.empty()) {
    finding.why.push_back(fmt::format("it said: {}", text::visible(line, 300)));
  }
  if (around_.driver_works) finding.why.emplace_back("the driver itself works");
  explain(finding, framework.error.empty() ? report_.said : framework.error);
  add(std::move(finding));
}

void PythonJudge::judge_devices(const FrameworkReport& framework) {
  for (const auto& device : framework.devices) {
    if (!device.error.empty() && !around_.elsewhere) {
      Finding finding{"python.gpu-fails",
                      Severity::error,
                      fmt::format("{} cannot compute on {}", shown(framework), device.name),
                      {text::visible(device.error, 600)},
                      {}};
      explain(finding, device.error);
      add(std::move(finding));
    }
  }
  if (framework.compiled.empty()) return;
  for (const auto& gpu : around_.gpus) {
    if (!gpu.capability) continue;
    // Code for 8.0 runs on 8.6: the same major, and not newer than the GPU.
    const bool fits = std::any_of(
        framework.compiled.begin(), framework.compiled.end(), [&](const ComputeCapability& each) {
          return each.major == gpu.capability->major && each.minor <= gpu.capability->minor;
        });
    if (fits) continue;
    std::vector<std::string> names;
    for (const auto& each : framework.compiled) names.push_back(each.sm());
    add({"python.no-code",
         Severity::error,
         fmt::format("{} holds no code for {} ({})", shown(framework),
                     gpu.name.empty() ? "the GPU" : gpu.name, gpu.capability->sm()),
         {fmt::format("it was compiled for {}", text::join(names, ", "))},
         {"install a build that covers it: `cudaenv compat` has the line"}});
  }
}

// An extension is compiled with the toolkit of CUDA_HOME and has to fit what the framework brings.
void PythonJudge::judge_extensions(const FrameworkReport& framework) {
  const auto cuda = Version::parse(framework.cuda);
  if (!cuda || !around_.toolkit || framework.module != "torch") return;
  const auto toolkit = around_.toolkit->first(2);
  if (cuda->first(2) == toolkit) return;
  const bool same_major = cuda->major() == toolkit.major();
  add({same_major ? "python.extension-minor" : "python.extension-major",
       same_major ? Severity::note : Severity::warning,
       fmt::format("{} was built with CUDA {}, the toolkit is {}", shown(framework), cuda->text(),
                   around_.toolkit->text()),
       {same_major ? "extensions for it build with another minor of the same major"
                   : "extensions for it cannot be built with another major"},
       {fmt::format("to build extensions: `cudaenv install {}`", cuda->text())}});
}

// Libraries that came from elsewhere than the environment, though it brings its own.
void PythonJudge::judge_loaded() {
  if (report_.prefix.empty()) return;
  const std::string inside = report_.prefix + "/";
  std::vector<std::string> foreign;
  bool own = false;
  for (const auto& path : report_.loaded) {
    const auto name = std::string_view(path).substr(path.rfind('/') + 1);
    // The driver's own libraries are the system's.
    const bool driver = name.starts_with("libcuda.so") || name.starts_with("libnvidia-") ||
                        name.starts_with("libcudadebugger");
    if (driver) continue;
    const bool brought =
        path.starts_with(inside) || path.find("/site-packages/") != std::string::npos;
    if (brought) {
      own = true;
    } else {
      foreign.push_back(path);
    }
  }
  if (!own || foreign.empty()) return;
  Finding finding{
      "python.foreign-libraries",
      Severity::warning,
      "libraries from outside of the Python environment were loaded beside its own",
      {},
      {"run it without LD_LIBRARY_PATH, or `cudaenv exec --no-ld-path VERSION -- CMD`"}};
  for (const auto& path : foreign) finding.why.push_back(text::visible(path, 400));
  if (finding.why.size() > 12) finding.why.resize(12);
  add(std::move(finding));
}

}  // namespace

std::string_view module_of(std::string_view framework) {
  for (const auto& [name, module] : modules) {
    if (name == framework) return module;
  }
  return {};
}

std::vector<std::string> framework_modules() {
  std::vector<std::string> result;
  for (const auto& [name, module] : modules) result.emplace_back(module);
  return result;
}

std::vector<Finding> check_python(const PythonReport& report, const PythonSurroundings& around,
                                  const compat::ErrorTexts& texts) {
  return PythonJudge(report, around, texts).judge();
}

}  // namespace cudaenv::doctor
