#include "doctor/python_packages.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "doctor/check_python.hpp"

namespace cudaenv::doctor {
namespace {

constexpr std::size_t longest_head = 16'384;
constexpr std::size_t most_packages = 2000;

// "3.11" of "python3.11"; nothing for "python3" and other names.
std::optional<Version> version_in(std::string_view name) {
  constexpr std::string_view start = "python";
  if (!name.starts_with(start)) return std::nullopt;
  auto version = Version::parse(name.substr(start.size()));
  return version && version->parts().size() == 2 ? version : std::nullopt;
}

// As the interpreter is called behind all links, else as the environment's folder is.
std::optional<Version> python_version(const sys::Tree& tree, const std::string& python,
                                      const std::string& prefix) {
  const auto real = tree.resolve(python).value_or(python);
  if (const auto version = version_in(std::string_view(real).substr(real.rfind('/') + 1))) {
    return version;
  }
  for (const auto& name : tree.list(sys::tree_path(prefix, "lib"))) {
    if (const auto version = version_in(name)) return version;
  }
  return std::nullopt;
}

// Where packages lie; those of Debian are in folders of its own.
std::vector<std::string> package_folders(const std::string& prefix, const std::string& version) {
  const std::string python = "python" + version;
  std::vector<std::string> folders;
  for (const char* lib : {"lib/", "lib64/"}) {
    folders.push_back(sys::tree_path(prefix, lib + python + "/site-packages"));
  }
  if (prefix != "/usr") return folders;
  folders.push_back("/usr/local/lib/" + python + "/dist-packages");
  folders.push_back("/usr/local/lib/" + python + "/site-packages");
  folders.emplace_back("/usr/lib/python3/dist-packages");
  return folders;
}

// The value of a line "Name: torch" before the first empty line.
std::string field(std::string_view head, std::string_view name) {
  for (const auto line : text::lines(head)) {
    if (line.empty()) break;
    if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
    return text::visible(text::trimmed(line.substr(name.size() + 1)));
  }
  return {};
}

void read_folder(const sys::Tree& tree, const std::string& folder, PythonReport& report) {
  for (const auto& entry : tree.list(folder)) {
    const bool wheel = entry.ends_with(".dist-info");
    if (!wheel && !entry.ends_with(".egg-info")) continue;
    const auto file = folder + "/" + entry + (wheel ? "/METADATA" : "/PKG-INFO");
    const auto head = tree.read(file, longest_head);
    if (!head || report.packages.size() >= most_packages) continue;
    auto name = text::lower(field(*head, "Name"));
    std::replace(name.begin(), name.end(), '_', '-');
    if (!name.empty() && !report.package(name)) {
      report.packages.push_back({std::move(name), field(*head, "Version")});
    }
  }
  for (const auto& module : framework_modules()) {
    const bool known =
        std::find(report.modules.begin(), report.modules.end(), module) != report.modules.end();
    if (!known && tree.is_file(folder + "/" + module + "/__init__.py")) {
      report.modules.push_back(module);
    }
  }
}

}  // namespace

PythonReport read_python_packages(const sys::Tree& tree, const std::string& python) {
  PythonReport report;
  report.end = PythonReport::End::not_found;
  if (!tree.is_program(python)) return report;
  report.end = PythonReport::End::done;
  report.executable = python;
  // An environment's interpreter is a link to another one's: the folder that it was named in
  // counts.
  report.prefix = sys::tree_path(sys::tree_path(python, ".."), "..");
  const auto version = python_version(tree, python, report.prefix);
  if (!version) return report;
  report.version = version->text();
  for (const auto& folder : package_folders(report.prefix, report.version)) {
    read_folder(tree, folder, report);
  }
  return report;
}

}  // namespace cudaenv::doctor
