#include "commands/check_layers.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "catalog/index.hpp"
#include "compat/build.hpp"
#include "compat/driver.hpp"
#include "compat/gpu.hpp"
#include "compat/libraries.hpp"
#include "doctor/check_python.hpp"
#include "doctor/checks.hpp"

namespace cudaenv::commands {
namespace {

using compat::Finding;
using compat::Severity;

// A library that a Python environment brings: "nvidia-nccl-cu12".
struct BroughtLibrary {
  const doctor::Package* package;
  Version version;
  Version cuda;  // that it is built for, as far as its neighbours tell
};

// The CUDA of the run time that a Python environment brings: 12.5 of nvidia-cuda-runtime-cu12.
std::optional<Version> own_cuda(const doctor::PythonReport& report) {
  for (const auto& package : report.packages) {
    if (!package.name.starts_with("nvidia-cuda-runtime")) continue;
    if (const auto version = Version::parse(package.version)) return version->first(2);
  }
  return std::nullopt;
}

// Older ones have no manifests, which say what a release is made of; newer ones `update` knows.
bool can_be_installed(const Version& release) {
  const auto known = catalog::versions("cuda");
  return known.empty() || release > known.back() ||
         std::find(known.begin(), known.end(), release) != known.end();
}

std::optional<BroughtLibrary> brought(const doctor::PythonReport& report,
                                      std::string_view library) {
  const std::string start = fmt::format("nvidia-{}-cu", library);
  for (const auto& package : report.packages) {
    if (!package.name.starts_with(start)) continue;
    const auto version = Version::parse(package.version);
    const auto major = Version::parse(std::string_view(package.name).substr(start.size()));
    if (!version || !major) continue;
    const auto cuda = own_cuda(report);
    const bool same = cuda && cuda->major() == major->major();
    return BroughtLibrary{&package, version->first(3), same ? *cuda : *major};
  }
  return std::nullopt;
}

}  // namespace

LayerCheck::LayerCheck(const compat::Tables& tables, const DoctorResult& machine,
                       doctor::Assumed assumed, MeantToolkit meant)
    : tables_(tables),
      seen_(machine.seen),
      machine_(machine.findings),
      assumed_(std::move(assumed)),
      meant_(std::move(meant)) {}

void LayerCheck::add(std::string name, std::string_view verdict, std::string what,
                     std::vector<Finding> findings, bool assumed) {
  layers_.push_back(
      {std::move(name), std::string(verdict), std::move(what), assumed, std::move(findings)});
}

void LayerCheck::check_toolkit() {
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

void LayerCheck::check_machine() {
  if (!meant_.release) return;
  check_driver(*meant_.release);
  check_gpus(*meant_.release);
  check_build(*meant_.release);
}

void LayerCheck::check_driver(const Version& toolkit) {
  auto verdict = compat::judge_driver(tables_, toolkit, driver(), seen_.driver.gpus);
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
      std::move(verdict.findings), assumed_.driver.has_value());
}

void LayerCheck::check_gpus(const Version& toolkit) {
  for (const auto& gpu : seen_.driver.gpus) {
    auto judged = compat::judge_gpu(tables_, toolkit, gpu, driver());
    const std::string sm = judged.capability ? judged.capability->sm() : "unknown";
    add("gpu", compat::name_of(judged.support),
        fmt::format("{}, {}", gpu.name.empty() ? "a GPU" : text::visible(gpu.name, 100), sm),
        std::move(judged.findings), assumed_.gpus.has_value());
  }
}

void LayerCheck::check_build(const Version& toolkit) {
  const auto taken = seen_.compilers.with(toolkit);
  if (taken.chosen || taken.by_variable || !taken.ccbin.empty()) {
    auto judged = doctor::judge_host_compiler(seen_.compilers, tables_, toolkit);
    add("compiler", compat::name_of(judged.fit),
        taken.chosen ? fmt::format("{} {}", taken.chosen->family, taken.chosen->version.text())
                     : "none",
        std::move(judged.findings), assumed_.gcc.has_value());
  }
  if (seen_.glibc) {
    auto judged = compat::judge_glibc(tables_, toolkit, *seen_.glibc);
    add("glibc", compat::name_of(judged.fit), seen_.glibc->text(), std::move(judged.findings),
        assumed_.glibc.has_value());
  }
}

void LayerCheck::check_libraries(const AskedPython& asked) {
  using Judge = compat::LibraryVerdict (*)(const compat::Tables&, const Version&, const Version&);
  const auto check = [&](const char* name, Judge judge, const std::optional<Version>& own) {
    if (meant_.release && own) {
      auto judged = judge(tables_, *meant_.release, *own);
      add(name, compat::name_of(judged.support), own->text(), std::move(judged.findings));
    }
    if (const auto library = brought(asked.report, name)) {
      auto judged = judge(tables_, library->cuda, library->version);
      add(name, compat::name_of(judged.support),
          fmt::format("{} of {}, for CUDA {}", library->version.text(),
                      text::visible(library->package->name, 60), library->cuda.text()),
          std::move(judged.findings));
    }
  };
  check("cudnn", compat::judge_cudnn, meant_.cudnn);
  check("nccl", compat::judge_nccl, meant_.nccl);
}

void LayerCheck::check_framework(const compat::FrameworkWish& wish,
                                 const doctor::PythonReport& report) {
  compat::Surroundings around;
  around.toolkit = meant_.release;
  around.cudnn = meant_.cudnn;
  // That there is none is said in its own layer.
  if (driver().version() || driver().cuda) around.driver = driver();
  around.gpus = seen_.driver.gpus;
  around.python = Version::parse(report.version);
  auto verdict = compat::judge_framework(tables_, wish, around);
  const auto own = own_cuda(report);
  const bool brings = own && verdict.row && verdict.row->shipped == compat::Shipped::extra;
  if (brings) {
    // With its extra, as tensorflow[and-cuda], it takes what came with it and no toolkit.
    around.toolkit = own;
    const auto cudnn = brought(report, "cudnn");
    around.cudnn = cudnn ? std::optional(cudnn->version) : std::nullopt;
    verdict = compat::judge_framework(tables_, wish, around);
  }
  const auto worst = compat::worst(verdict.findings);
  const std::string_view word = !verdict.known               ? "unknown"
                                : worst == Severity::error   ? "does-not-fit"
                                : worst == Severity::warning ? "limited"
                                                             : "fits";
  std::string what = wish.text();
  if (verdict.row && verdict.row->cuda) {
    what += fmt::format(", for CUDA {}", verdict.row->cuda->words());
  }
  if (brings) what += fmt::format(", with its own {}", own->text());
  add("framework", word, std::move(what), verdict.findings);
}

void LayerCheck::check_python(const AskedPython& asked) {
  const compat::ErrorTexts texts(tables_);
  const doctor::PythonSurroundings around{asked.python, meant_.release, seen_.driver.gpus,
                                          driver().state == DriverState::working,
                                          assumed_.driver || assumed_.gpus};
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
      : asked.run                  ? "works"
                                   : "not-run",
      std::string(text::trimmed(
          fmt::format("{} {}", text::visible(asked.python, 400), asked.report.version))),
      std::move(findings));
}

}  // namespace cudaenv::commands
