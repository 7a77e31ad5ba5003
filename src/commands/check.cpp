#include "commands/check.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "catalog/index.hpp"
#include "commands/compat_tables.hpp"
#include "commands/doctor.hpp"
#include "compat/build.hpp"
#include "compat/driver.hpp"
#include "compat/gpu.hpp"
#include "compat/libraries.hpp"
#include "compat/solve.hpp"
#include "doctor/check_python.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

namespace cudaenv::commands {
namespace {

using compat::Finding;
using compat::Severity;

// The toolkit that is meant, installed or only known.
struct Meant {
  std::optional<Version> release;
  std::string path;
  std::vector<store::ReceiptComponent> add_ons;
};

// What Python was asked and said.
struct Asked {
  std::string python;
  doctor::PythonReport report;
  std::vector<Finding> findings;
};

std::string python_of(const CheckRequest& request, const Host& host) {
  if (!request.python.empty()) {
    // The folder of an environment stands for its Python.
    const auto python = std::filesystem::path(request.python) / "bin" / "python";
    return sys::is_directory(request.python) && sys::stat_link(python) ? python.string()
                                                                       : request.python;
  }
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto folder = host.environment.non_empty(variable);
    if (!folder) continue;
    const auto python = std::filesystem::path(*folder) / "bin" / "python";
    // A link to a Python that is gone is asked, too: no other one is the environment's.
    if (sys::stat_link(python)) return python.string();
  }
  return request.framework.empty() ? std::string() : "python3";
}

// Whether a package brings the module: TensorFlow has several, and many that only go with it.
bool is_there(const doctor::PythonReport& report, std::string_view module) {
  constexpr std::array tensorflows{"tensorflow-cpu",     "tensorflow-gpu",   "tensorflow-intel",
                                   "tensorflow-aarch64", "tensorflow-macos", "tf-nightly"};
  return std::any_of(report.packages.begin(), report.packages.end(), [&](const auto& package) {
    return package.name == module ||
           (module == "tensorflow" &&
            std::find(tensorflows.begin(), tensorflows.end(), package.name) != tensorflows.end());
  });
}

// Metadata first: it is quick, and an import is made of what is there only.
Asked ask(const CheckRequest& request, const std::optional<compat::FrameworkWish>& wish,
          const Host& host) {
  Asked asked{python_of(request, host), {}, {}};
  if (asked.python.empty()) return asked;
  asked.report =
      doctor::ask_python(asked.python, {}, host.environment, host.interrupt, request.limit);
  if (asked.report.end != doctor::PythonReport::End::done) return asked;
  std::vector<std::string> modules;
  for (const char* name : {"pytorch", "tensorflow", "jax"}) {
    const std::string module(doctor::module_of(name));
    if ((!wish || wish->name == name) && is_there(asked.report, module)) modules.push_back(module);
  }
  if (wish && modules.empty() && !doctor::module_of(wish->name).empty()) {
    asked.findings.push_back({"python.not-installed",
                              Severity::warning,
                              fmt::format("{} is not installed in {}", wish->name,
                                          text::visible(asked.report.prefix, 400)),
                              {},
                              {"name another Python: `--python PATH`"}});
  }
  if (modules.empty()) return asked;
  host.progress.step(fmt::format("importing {} in {}", text::join(modules, ", "),
                                 text::visible(asked.python, 200)));
  asked.report =
      doctor::ask_python(asked.python, modules, host.environment, host.interrupt, request.limit);
  host.progress.job_end();
  return asked;
}

// "2.1.2" of "2.1.2+cu118".
std::optional<Version> release_of(std::string_view version) {
  return Version::parse(version.substr(0, version.find_first_not_of("0123456789.")));
}

// The version that is installed is the one that counts where none was named.
void take_installed_version(std::optional<compat::FrameworkWish>& wish,
                            const doctor::PythonReport& report) {
  if (!wish || wish->version) return;
  const auto module = doctor::module_of(wish->name);
  for (const auto& framework : report.frameworks) {
    if (framework.module == module && !framework.version.empty()) {
      wish->version = release_of(framework.version);
    }
  }
}

// What `install auto` would take here.
std::optional<Version> chosen_here(const doctor::Observed& seen,
                                   const std::optional<compat::FrameworkWish>& wish,
                                   const compat::Tables& tables) {
  compat::Question question;
  auto& machine = question.machine;
  const auto& facts = seen.driver.facts;
  if (facts.version() || facts.cuda) machine.driver = facts;
  machine.gpus = seen.driver.gpus;
  machine.glibc = seen.glibc;
  machine.compilers = seen.compilers.installed;
  if (const auto& first = seen.compilers.chosen) {
    machine.compilers.insert(machine.compilers.begin(), *first);
  }
  question.framework = wish;
  question.toolkits = catalog::versions("cuda");
  return compat::solve(tables, question).toolkit;
}

// Older ones have no manifests, which say what a release is made of; newer ones `update` knows.
bool can_be_installed(const Version& release) {
  const auto known = catalog::versions("cuda");
  return known.empty() || release > known.back() ||
         std::find(known.begin(), known.end(), release) != known.end();
}

Meant meant_toolkit(const CheckRequest& request, const doctor::Observed& seen,
                    const std::optional<compat::FrameworkWish>& wish, const compat::Tables& tables,
                    const Host& host) {
  if (request.spec.empty() || request.spec == "system") {
    const auto* active = seen.active();
    if (active) return {active->version(), active->path, {}};
    if (!request.framework.empty() || !request.python.empty()) return {};
    throw Error(ErrorKind::missing, "no toolkit is active and there is no default")
        .help("name one: `cudaenv check VERSION`");
  }
  try {
    auto prefix = installed_prefix(host, request.spec);
    Meant meant{prefix.receipt.cuda, prefix.path.string(), {}};
    for (const auto& component : prefix.receipt.components) {
      if (component.product != "cuda") meant.add_ons.push_back(component);
    }
    return meant;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::missing) throw;
    // One that is not installed is judged by the tables.
    const Spec spec = Spec::parse(request.spec);
    if (std::holds_alternative<Spec::Name>(spec.value())) throw;
    if (std::holds_alternative<Spec::Auto>(spec.value())) {
      if (auto chosen = chosen_here(seen, wish, tables)) return {std::move(chosen), "", {}};
      throw Error(ErrorKind::missing, "no CUDA release suits this machine")
          .help("see why with `cudaenv install auto --dry-run`");
    }
    for (auto row = tables.toolkits.rbegin(); row != tables.toolkits.rend(); ++row) {
      if (spec.accepts(row->release)) return {row->release, "", {}};
    }
    throw Error(ErrorKind::missing, fmt::format("CUDA `{}` is neither installed nor in the tables",
                                                text::visible(spec.text())))
        .help("see what is in them with `cudaenv compat`");
  }
}

class Checker {
 public:
  Checker(const compat::Tables& tables, const DoctorResult& machine, Meant meant)
      : tables_(tables),
        seen_(machine.seen),
        machine_(machine.findings),
        meant_(std::move(meant)) {}

  void check_toolkit();
  void check_machine();
  void check_add_ons();
  void check_framework(const compat::FrameworkWish& wish, const doctor::PythonReport& report);
  void check_python(const Asked& asked);
  std::vector<CheckedLayer> take() { return std::move(layers_); }

 private:
  void add(std::string name, std::string_view verdict, std::string what,
           std::vector<Finding> findings) {
    layers_.push_back(
        {std::move(name), std::string(verdict), std::move(what), std::move(findings)});
  }
  const DriverFacts& driver() const { return seen_.driver.facts; }

  const compat::Tables& tables_;
  const doctor::Observed& seen_;
  const doctor::Findings& machine_;  // doctor's
  Meant meant_;
  std::vector<CheckedLayer> layers_;
};

void Checker::check_toolkit() {
  if (!meant_.release) return;
  const std::string release = meant_.release->text();
  if (meant_.path.empty()) {
    Finding finding{"check.not-installed",
                    Severity::note,
                    fmt::format("CUDA {} is not installed; it is judged by the tables", release),
                    {},
                    {install_advice(release)}};
    if (!can_be_installed(*meant_.release)) {
      finding.why = {"NVIDIA published no manifest of it, so that cudaenv cannot install it"};
      finding.help.clear();
    }
    add("toolkit", "not-installed", release, {std::move(finding)});
  } else {
    add("toolkit", "installed", fmt::format("{} in {}", release, text::visible(meant_.path, 400)),
        {});
  }
}

void Checker::check_machine() {
  if (!meant_.release) return;
  const Version& toolkit = *meant_.release;
  const auto& gpus = seen_.driver.gpus;
  auto verdict = compat::judge_driver(tables_, toolkit, driver(), gpus);
  // Why it does not work says more than that its version is not known.
  if (driver().state != DriverState::working && driver().state != DriverState::unknown) {
    const auto is_about_it = [](const Finding& finding) {
      return finding.id.starts_with("driver.");
    };
    if (std::any_of(machine_.begin(), machine_.end(), is_about_it)) {
      std::erase_if(verdict.findings,
                    [](const Finding& finding) { return finding.id == "driver.unknown"; });
    }
    std::copy_if(machine_.begin(), machine_.end(), std::back_inserter(verdict.findings),
                 is_about_it);
  }
  const auto version = driver().version();
  add("driver", compat::name_of(verdict.support), version ? version->text() : "none",
      verdict.findings);
  for (const auto& gpu : gpus) {
    const auto judged = compat::judge_gpu(tables_, toolkit, gpu, driver());
    const std::string sm = judged.capability ? judged.capability->sm() : "unknown";
    add("gpu", compat::name_of(judged.support),
        fmt::format("{}, {}", gpu.name.empty() ? "a GPU" : text::visible(gpu.name, 100), sm),
        judged.findings);
  }
  if (const auto& compiler = seen_.compilers.chosen) {
    const auto judged = doctor::judge_host_compiler(seen_.compilers, tables_, toolkit);
    add("compiler", compat::name_of(judged.fit),
        fmt::format("{} {}", compiler->family, compiler->version.text()), judged.findings);
  }
  if (seen_.glibc) {
    const auto judged = compat::judge_glibc(tables_, toolkit, *seen_.glibc);
    add("glibc", compat::name_of(judged.fit), seen_.glibc->text(), judged.findings);
  }
}

void Checker::check_add_ons() {
  for (const auto& add_on : meant_.add_ons) {
    const auto version = Version::parse(add_on.version);
    if (!version || add_on.product != "cudnn") continue;
    const auto judged = compat::judge_cudnn(tables_, *meant_.release, *version);
    add("cudnn", compat::name_of(judged.support), version->text(), judged.findings);
  }
}

void Checker::check_framework(const compat::FrameworkWish& wish,
                              const doctor::PythonReport& report) {
  compat::Surroundings around;
  around.toolkit = meant_.release;
  for (const auto& add_on : meant_.add_ons) {
    if (add_on.product == "cudnn") around.cudnn = Version::parse(add_on.version);
  }
  // Without a driver its layer has said so.
  if (driver().version() || driver().cuda) around.driver = driver();
  around.gpus = seen_.driver.gpus;
  around.python = Version::parse(report.version);
  const auto verdict = compat::judge_framework(tables_, wish, around);
  const auto worst = compat::worst(verdict.findings);
  const std::string_view word = !verdict.known               ? "unknown"
                                : worst == Severity::error   ? "does-not-fit"
                                : worst == Severity::warning ? "limited"
                                                             : "fits";
  std::string what = wish.text();
  if (verdict.row && verdict.row->cuda) {
    what += fmt::format(", for CUDA {}", verdict.row->cuda->words());
  }
  add("framework", word, std::move(what), verdict.findings);
}

void Checker::check_python(const Asked& asked) {
  const compat::ErrorTexts texts(tables_);
  doctor::PythonSurroundings around{asked.python, meant_.release, seen_.driver.gpus,
                                    driver().state == DriverState::working};
  auto findings = asked.findings;
  const auto judged = doctor::check_python(asked.report, around, texts);
  findings.insert(findings.end(), judged.begin(), judged.end());
  // What LD_LIBRARY_PATH and the loader's cache put before its libraries.
  constexpr std::array shadows{"loader.over-wheels", "cudnn.mixed", "cudnn.several-majors"};
  std::copy_if(machine_.begin(), machine_.end(), std::back_inserter(findings),
               [&](const Finding& finding) {
                 return std::find(shadows.begin(), shadows.end(), finding.id) != shadows.end();
               });
  const auto worst = compat::worst(findings);
  add("python",
      worst == Severity::error     ? "fails"
      : worst == Severity::warning ? "limited"
                                   : "works",
      fmt::format("{} {}", text::visible(asked.python, 400), asked.report.version),
      std::move(findings));
}

}  // namespace

Severity CheckResult::worst() const {
  auto result = Severity::note;
  for (const auto& layer : layers) result = std::max(result, compat::worst(layer.findings));
  return result;
}

CheckResult check(const CheckRequest& request, const Host& host) {
  const auto tables = known_tables(host).tables;
  std::optional<compat::FrameworkWish> wish;
  if (!request.framework.empty()) {
    wish = compat::FrameworkWish::parse(tables, request.framework);
  }
  const auto asked = ask(request, wish, host);
  DoctorRequest machine;
  if (!asked.report.prefix.empty()) {
    machine.variables.push_back("VIRTUAL_ENV=" + asked.report.prefix);
  }
  const auto doctor = commands::doctor(machine, host);
  take_installed_version(wish, asked.report);

  CheckResult result;
  const auto meant = meant_toolkit(request, doctor.seen, wish, tables, host);
  result.toolkit = meant.release;
  result.path = meant.path;
  result.python = asked.python;
  result.tables_date = tables.date;
  Checker checker(tables, doctor, meant);
  checker.check_toolkit();
  checker.check_machine();
  checker.check_add_ons();
  if (wish) {
    result.framework = wish->text();
    checker.check_framework(*wish, asked.report);
  }
  if (!asked.python.empty()) checker.check_python(asked);
  result.layers = checker.take();
  return result;
}

}  // namespace cudaenv::commands
