#include "commands/check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "catalog/index.hpp"
#include "commands/check_layers.hpp"
#include "commands/choose_toolkit.hpp"
#include "commands/compat_tables.hpp"
#include "compat/solve.hpp"
#include "doctor/check_python.hpp"
#include "doctor/python_packages.hpp"

namespace cudaenv::commands {
namespace {

using compat::Finding;
using compat::Severity;

class Check {
 public:
  Check(const CheckRequest& request, const Host& host)
      : request_(request),
        host_(host),
        tables_(known_tables(host).tables),
        tree_(tree_of(request.machine, host)),
        environment_(environment_of(request.machine, host)) {
    if (!request.framework.empty()) {
      wish_ = compat::FrameworkWish::parse(tables_, request.framework);
    }
  }

  CheckResult run();

 private:
  std::string python_of() const;
  void ask_for_packages();
  void ask_frameworks();
  void take_installed_version();
  DoctorResult look() const;
  MeantToolkit meant_toolkit(const doctor::Observed& seen) const;
  MeantToolkit named_toolkit(const doctor::Observed& seen) const;
  MeantToolkit auto_toolkit(const doctor::Observed& seen) const;
  MeantToolkit of(const doctor::ToolkitFacts& facts, const doctor::Observed& seen) const;

  const CheckRequest& request_;
  const Host& host_;
  compat::Tables tables_;
  sys::Tree tree_;
  sys::Environment environment_;
  std::optional<compat::FrameworkWish> wish_;
  AskedPython asked_;
};

CheckResult Check::run() {
  const auto assumed = assumed_of(request_.machine, tables_);
  // The quick questions first: what is mistyped shows before a framework is imported.
  ask_for_packages();
  const auto machine = look();
  const auto meant = meant_toolkit(machine.seen);
  if (asked_.run) ask_frameworks();
  take_installed_version();

  CheckResult result;
  result.root = machine.root;
  result.toolkit = meant.release;
  result.path = meant.path;
  result.python = asked_.python;
  result.tables_date = tables_.date;
  LayerCheck layers(tables_, machine, assumed, meant);
  layers.check_toolkit();
  layers.check_machine();
  layers.check_libraries(asked_);
  if (wish_) {
    result.framework = wish_->text();
    layers.check_framework(*wish_, asked_.report);
  }
  if (!asked_.python.empty()) layers.check_python(asked_);
  result.layers = layers.take();
  return result;
}

std::string Check::python_of() const {
  // The folder of an environment stands for its Python. A link to a Python that is gone is asked,
  // too: no other one is the environment's.
  if (!request_.python.empty()) {
    const auto folder =
        tree_.is_machine() ? std::filesystem::absolute(request_.python).string() : request_.python;
    auto python = sys::tree_path(folder, "bin/python");
    return tree_.is_directory(folder) && tree_.link_stat(python) ? python : request_.python;
  }
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto folder = environment_.non_empty(variable);
    if (!folder) continue;
    auto python = sys::tree_path(*folder, "bin/python");
    if (tree_.link_stat(python)) return python;
  }
  if (!wish_) return "";
  if (tree_.is_machine()) return "python3";
  return tree_.is_program("/usr/bin/python3") ? "/usr/bin/python3" : "";
}

void Check::ask_for_packages() {
  asked_.python = python_of();
  if (asked_.python.empty()) return;
  if (tree_.is_machine()) {
    asked_.report =
        doctor::ask_python(asked_.python, {}, environment_, host_.interrupt, request_.limit);
    return;
  }
  asked_.run = false;
  if (!asked_.python.starts_with('/')) {
    throw Error(ErrorKind::usage, "in another root a Python is named by its path")
        .help("write it as it is in there, such as /opt/venv/bin/python");
  }
  asked_.report = doctor::read_python_packages(tree_, asked_.python);
  if (asked_.report.end != doctor::PythonReport::End::done) return;
  asked_.findings.push_back({"python.not-run",
                             Severity::note,
                             "of another root nothing is run: its packages were read, no framework "
                             "was imported",
                             {},
                             {}});
}

// An import is made of what is there only.
void Check::ask_frameworks() {
  if (asked_.python.empty() || asked_.report.end != doctor::PythonReport::End::done) return;
  std::vector<std::string> modules;
  for (const auto& module : asked_.report.modules) {
    if (!wish_ || doctor::module_of(wish_->name) == module) modules.push_back(module);
  }
  if (wish_ && modules.empty() && !doctor::module_of(wish_->name).empty()) {
    asked_.findings.push_back({"python.not-installed",
                               Severity::warning,
                               fmt::format("{} is not installed in {}", wish_->name,
                                           text::visible(asked_.report.prefix, 400)),
                               {},
                               {"name another Python: `--python PATH`"}});
  }
  if (modules.empty()) return;
  host_.progress.step(fmt::format("importing {} in {}", text::join(modules, ", "),
                                  text::visible(asked_.python, 200)));
  asked_.report =
      doctor::ask_python(asked_.python, modules, environment_, host_.interrupt, request_.limit);
  host_.progress.job_end();
}

// "2.1.2" of "2.1.2+cu118".
std::optional<Version> release_in(std::string_view version) {
  return Version::parse(version.substr(0, version.find_first_not_of("0123456789.")));
}

// The version that is installed is the one that counts where none was named: as the framework says
// it, else as its package does.
void Check::take_installed_version() {
  if (!wish_ || wish_->version) return;
  const auto module = doctor::module_of(wish_->name);
  for (const auto& framework : asked_.report.frameworks) {
    if (framework.module == module && !framework.version.empty()) {
      wish_->version = release_in(framework.version);
    }
  }
  if (wish_->version) return;
  const auto* own = asked_.report.package(module.empty() ? wish_->name : module);
  for (const auto& package : asked_.report.packages) {
    // A plugin, as jax-cuda12-pjrt, has a version of its own.
    if (!own && compat::framework_of_package(package.name) == wish_->name) own = &package;
  }
  if (own) wish_->version = release_in(own->version);
}

// Every toolkit that is there, because the one that is meant may be any.
DoctorResult Check::look() const {
  DoctorRequest request;
  request.machine = request_.machine;
  request.all = true;
  if (request_.spec.starts_with('/')) request.spec = request_.spec;
  if (!asked_.report.prefix.empty()) {
    request.machine.variables.push_back("VIRTUAL_ENV=" + asked_.report.prefix);
  }
  return doctor(request, host_);
}

MeantToolkit Check::of(const doctor::ToolkitFacts& facts, const doctor::Observed& seen) const {
  return {doctor::release_of(facts, tables_), facts.path,
          seen.library_version(facts, doctor::cudnn_files),
          seen.library_version(facts, doctor::nccl_files)};
}

MeantToolkit Check::meant_toolkit(const doctor::Observed& seen) const {
  if (request_.spec.starts_with('/')) return of(*seen.toolkit(seen.judged.front()), seen);
  if (!request_.spec.empty() && request_.spec != "system") return named_toolkit(seen);
  if (const auto* active = seen.active()) return of(*active, seen);
  if (wish_ || !asked_.python.empty()) return {};
  throw Error(ErrorKind::missing, "no toolkit is active and there is no default")
      .help("name one: `cudaenv check VERSION`");
}

// What `auto` is on the machine that is judged, which may be an assumed one: of what is there,
// else of all that can be installed.
MeantToolkit Check::auto_toolkit(const doctor::Observed& seen) const {
  compat::Question question;
  const auto& driver = seen.driver.facts;
  if (driver.version() || driver.cuda) question.machine.driver = driver;
  question.machine.gpus = seen.driver.gpus;
  question.machine.glibc = seen.glibc;
  seen.compilers.tell(question.machine);
  question.framework = wish_;
  for (const auto& facts : seen.toolkits) {
    const auto release = doctor::release_of(facts, tables_);
    if (release) question.toolkits.push_back(*release);
  }
  const auto answer = compat::solve(tables_, question);
  for (const auto& facts : seen.toolkits) {
    if (answer.toolkit && doctor::release_of(facts, tables_) == answer.toolkit) {
      return of(facts, seen);
    }
  }
  question.toolkits = catalog::versions("cuda");
  const auto known = compat::solve(tables_, question);
  if (!known.toolkit) throw no_toolkit_error(known);
  return {known.toolkit, "", {}, {}};
}

// One that is installed, by cudaenv or by others; else one that the tables know.
MeantToolkit Check::named_toolkit(const doctor::Observed& seen) const {
  const Spec spec = Spec::parse(request_.spec);
  if (std::holds_alternative<Spec::Auto>(spec.value())) return auto_toolkit(seen);
  std::optional<Error> missing;
  try {
    if (tree_.is_machine()) {
      const auto prefix = installed_prefix(host_, request_.spec);
      MeantToolkit meant{prefix.receipt.cuda, prefix.path.string(), {}, {}};
      if (const auto* facts = seen.toolkit(tree_.resolve(meant.path).value_or(""))) {
        meant = of(*facts, seen);
        meant.release = prefix.receipt.cuda;
      }
      return meant;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::missing) throw;
    missing = error;
  }
  if (!std::holds_alternative<Spec::Name>(spec.value())) {
    const doctor::ToolkitFacts* best = nullptr;
    for (const auto& facts : seen.toolkits) {
      const auto version = doctor::release_of(facts, tables_);
      if (!version || !spec.accepts(*version)) continue;
      if (!best || *doctor::release_of(*best, tables_) < *version) best = &facts;
    }
    if (best) return of(*best, seen);
    for (auto row = tables_.toolkits.rbegin(); row != tables_.toolkits.rend(); ++row) {
      if (spec.accepts(row->release)) return {row->release, "", {}, {}};
    }
    throw Error(ErrorKind::missing, fmt::format("CUDA `{}` is neither installed nor in the tables",
                                                text::visible(spec.text())))
        .help("see what is in them with `cudaenv compat`");
  }
  if (missing) throw Error(*missing);
  throw Error(ErrorKind::missing,
              fmt::format("no toolkit in `{}` matches `{}`, and no release",
                          text::visible(tree_.root().string(), 400), text::visible(request_.spec)));
}

}  // namespace

Severity CheckResult::worst() const {
  auto result = Severity::note;
  for (const auto& layer : layers) result = std::max(result, compat::worst(layer.findings));
  return result;
}

CheckResult check(const CheckRequest& request, const Host& host) {
  return Check(request, host).run();
}

}  // namespace cudaenv::commands
