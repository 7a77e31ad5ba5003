#include "unit/doctor/sysroot.hpp"

#include <algorithm>
#include <cstring>
#include <sys/stat.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/mini_elf.hpp"
#include "sys/file.hpp"

namespace cudaenv::test {
namespace {

void put(std::string& bytes, std::size_t at, std::size_t number) {
  const auto small = static_cast<std::uint32_t>(number);
  if (bytes.size() < at + 4) bytes.resize(at + 4, '\0');
  std::memcpy(bytes.data() + at, &small, 4);
}

const char* word(compat::Severity severity) {
  return severity == compat::Severity::error     ? "error"
         : severity == compat::Severity::warning ? "warning"
                                                 : "note";
}

}  // namespace

void Sysroot::file(const std::string& path, const std::string& content) const {
  dir_.make_file(path.substr(1), content);
  // Whatever the umask of who runs the tests.
  for (auto at = path; at.size() > 1; at = at.substr(0, at.rfind('/'))) {
    const auto real = dir_ / at.substr(1);
    ::chmod(real.c_str(), sys::is_directory(real) ? 0755 : 0644);
  }
}

void Sysroot::program(const std::string& path, const std::string& content) const {
  file(path, content);
  ::chmod((dir_ / path.substr(1)).c_str(), 0755);
}

void Sysroot::link(const std::string& path, const std::string& target) const {
  folder(path.substr(0, path.rfind('/')));
  sys::create_symlink(target, dir_ / path.substr(1));
}

std::string Sysroot::toolkit(const std::string& version, std::string prefix) const {
  if (prefix.empty()) prefix = "/usr/local/cuda-" + version;
  const auto parsed = Version::parse(version);
  program(prefix + "/bin/nvcc");
  program(prefix + "/bin/ptxas");
  file(prefix + "/version.json",
       fmt::format(R"({{"cuda": {{"name": "CUDA SDK", "version": "{}"}}}})", version));
  file(prefix + "/include/cuda.h",
       fmt::format("#define CUDA_VERSION {}\n", parsed->major() * 1000 + parsed->minor() * 10));
  file(prefix + "/include/cuda_runtime_api.h");
  file(prefix + "/nvvm/libdevice/libdevice.10.bc");
  const std::string soname =
      fmt::format("libcudart.so.{}",
                  parsed->major() == 11 ? std::string("11.0") : std::to_string(parsed->major()));
  library(prefix + "/lib", soname, fmt::format("libcudart.so.{}.100", parsed->first(2).text()));
  link(prefix + "/lib64", "lib");
  return prefix;
}

void Sysroot::library(const std::string& folder, const std::string& soname,
                      const std::string& full_name) const {
  const std::string name = full_name.empty() ? soname : full_name;
  file(folder + "/" + name, mini_library(soname));
  if (name != soname) link(folder + "/" + soname, name);
}

void Sysroot::cudnn(const std::string& folder, const std::string& version,
                    std::vector<std::string> parts) const {
  const auto parsed = Version::parse(version);
  const auto number = parsed->parts();
  const std::uint64_t constant = number[0] >= 9 ? number[0] * 10'000 + number[1] * 100 + number[2]
                                                : number[0] * 1000 + number[1] * 100 + number[2];
  for (const auto& part : parts) {
    const std::string soname = fmt::format("libcudnn{}.so.{}", part, number[0]);
    file(folder + "/" + soname,
         mini_library(soname, fmt::format("cudnn{}_version", part.empty() ? "_main" : part),
                      constant));
  }
}

void Sysroot::driver(const std::string& module, const std::string& version) const {
  if (!module.empty()) {
    file("/proc/driver/nvidia/version",
         fmt::format("NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Sat Aug 19\n", module));
  }
  if (!version.empty()) {
    library("/usr/lib/x86_64-linux-gnu", "libcuda.so.1", "libcuda.so." + version);
  }
}

void Sysroot::gpu(const std::string& bus, const std::string& driver) const {
  const std::string folder = "/sys/bus/pci/devices/" + bus;
  file(folder + "/vendor", "0x10de\n");
  file(folder + "/class", "0x030200\n");
  file(folder + "/device", "0x2335\n");
  if (!driver.empty()) link(folder + "/driver", "../../../../bus/pci/drivers/" + driver);
}

void Sysroot::loader_cache(
    const std::vector<std::pair<std::string, std::string>>& libraries) const {
  std::string bytes = "glibc-ld.so.cache1.1";
  put(bytes, 20, libraries.size());
  bytes.resize(48 + 24 * libraries.size(), '\0');
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    put(bytes, 48 + 24 * i, 0x303);
    put(bytes, 48 + 24 * i + 4, bytes.size());
    bytes += libraries[i].first + '\0';
    put(bytes, 48 + 24 * i + 8, bytes.size());
    bytes += libraries[i].second + '\0';
  }
  file("/etc/ld.so.cache", bytes);
}

doctor::Observed Sysroot::seen() const {
  doctor::ObserveRequest request;
  request.tree = sys::Tree(dir_.path());
  request.environment = sys::Environment(variables);
  request.assumed = assumed;
  request.for_image = for_image;
  request.judge_all = judge_all;
  request.root = root;
  request.wanted = wanted;
  return doctor::observe(request, NoInterrupt());
}

std::vector<std::string> Sysroot::found() const {
  std::vector<std::string> lines;
  for (const auto& finding : doctor::check_all(seen())) {
    lines.push_back(fmt::format("{} {}: {}", word(finding.severity), finding.id, finding.seen));
  }
  return lines;
}

compat::Finding Sysroot::finding(const std::string& id) const {
  for (const auto& finding : doctor::check_all(seen())) {
    if (finding.id == id) return finding;
  }
  const auto all = found();
  FAIL_CHECK("no finding " << id << " among:\n" << fmt::format("{}", fmt::join(all, "\n")));
  return {"", compat::Severity::note, "", {}, {}};
}

bool Sysroot::has(const std::string& id) const {
  const auto findings = doctor::check_all(seen());
  return std::any_of(findings.begin(), findings.end(),
                     [&](const auto& finding) { return finding.id == id; });
}

}  // namespace cudaenv::test
