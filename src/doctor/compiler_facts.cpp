#include "doctor/compiler_facts.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "compat/build.hpp"
#include "sys/machine.hpp"
#include "sys/process.hpp"

namespace cudaenv::doctor {
namespace {

constexpr std::size_t largest_libc = 16u << 20;

// The first executable file of this name in the folders of PATH, in the tree.
std::string program_on_path(const sys::Tree& tree, const sys::Environment& environment,
                            std::string_view name) {
  const std::string path = environment.get("PATH").value_or("/usr/bin:/bin");
  for (const auto folder : text::split(path, ':')) {
    if (!folder.starts_with('/')) continue;
    const std::string file = std::string(folder) + "/" + std::string(name);
    if (tree.is_program(file)) return file;
  }
  return {};
}

// Red Hat's gcc has no number in its name, but a folder for its parts.
std::optional<Version> version_of_parts(const sys::Tree& tree) {
  std::optional<Version> best;
  for (const auto& target : tree.list("/usr/lib/gcc")) {
    for (const auto& name : tree.list("/usr/lib/gcc/" + target)) {
      const auto version = Version::parse(name);
      if (version && (!best || *best < *version)) best = version;
    }
  }
  return best;
}

std::optional<Version> asked_version(const std::string& program, const std::string& family,
                                     const sys::Environment& environment,
                                     const Interrupt& interrupt) {
  sys::Command command;
  // Before gcc 7 only the second one, after it only the first gives the whole version.
  command.arguments = {program, "-dumpfullversion", "-dumpversion"};
  if (family == "clang") command.arguments = {program, "-dumpversion"};
  command.environment = environment.variables();
  command.timeout = std::chrono::seconds(5);
  const auto outcome = sys::run(command, interrupt);
  if (!outcome.ok()) return std::nullopt;
  return Version::parse(text::trimmed(outcome.out));
}

std::optional<CompilerFacts> compiler_at(const sys::Tree& tree, const std::string& program,
                                         const sys::Environment& environment,
                                         const Interrupt& interrupt) {
  const std::string real = tree.resolve(program).value_or("");
  auto by_name = compiler_of_name(real.substr(real.rfind('/') + 1));
  const auto name = program.substr(program.rfind('/') + 1);
  const bool clang =
      name.find("clang") != std::string::npos || (by_name && by_name->family == "clang");
  const std::string family = clang ? "clang" : "gcc";
  std::optional<Version> version;
  if (tree.is_machine()) version = asked_version(program, family, environment, interrupt);
  if (!version && by_name) version = by_name->version;
  if (!version && !clang) version = version_of_parts(tree);
  if (!version) return std::nullopt;
  return CompilerFacts{family, *version, program};
}

// The compiler that nvcc's flags name; empty: none. Of two the last counts.
std::string compiler_of_flags(const sys::Environment& environment) {
  std::string named;
  for (const char* variable : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) {
    bool next = false;
    const std::string flags = environment.get(variable).value_or("");
    for (const auto word : text::split(flags, ' ')) {
      if (word.empty()) continue;
      if (next) named = word;
      next = word == "-ccbin" || word == "--compiler-bindir";
      for (const std::string_view start : {"-ccbin=", "--compiler-bindir="}) {
        if (word.starts_with(start)) named = word.substr(start.size());
      }
    }
  }
  return named;
}

// Where nvcc finds what it is told to take: a folder is searched for gcc, a bare name goes through
// PATH. Nothing where it finds none.
std::optional<CompilerFacts> compiler_named(const sys::Tree& tree, std::string program,
                                            const sys::Environment& environment,
                                            const Interrupt& interrupt) {
  if (program.find('/') == std::string::npos) {
    program = program_on_path(tree, environment, program);
  } else if (tree.is_directory(program)) {
    program += "/gcc";
  }
  if (program.empty() || !tree.is_program(program)) return std::nullopt;
  return compiler_at(tree, program, environment, interrupt);
}

}  // namespace

std::optional<CompilerFacts> compiler_of_name(std::string_view name) {
  const auto dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto version = Version::parse(name.substr(dash + 1));
  const auto stem = name.substr(0, dash);
  if (!version) return std::nullopt;
  for (const std::string_view word : {"g++", "gcc"}) {
    if (stem == word || stem.ends_with("-" + std::string(word))) {
      return CompilerFacts{"gcc", *version, ""};
    }
  }
  if (stem == "clang++" || stem == "clang") return CompilerFacts{"clang", *version, ""};
  return std::nullopt;
}

HostCompilers host_compilers(const sys::Tree& tree, const sys::Environment& environment,
                             const Interrupt& interrupt) {
  HostCompilers compilers;
  const auto at = [&](const std::string& program) {
    return compiler_named(tree, program, environment, interrupt);
  };
  const std::string of_flags = compiler_of_flags(environment);
  compilers.ccbin = of_flags.empty() ? environment.get("NVCC_CCBIN").value_or("") : "";
  const std::string named = of_flags.empty() ? compilers.ccbin : of_flags;
  compilers.by_variable = !named.empty();
  compilers.chosen = at(named.empty() ? "gcc" : named);
  if (!compilers.ccbin.empty()) compilers.without_ccbin = at("gcc");
  for (const char* folder : {"/usr/bin", "/usr/local/bin"}) {
    for (const auto& name : tree.list(folder)) {
      if (name.find("++-") == std::string::npos) continue;
      auto found = compiler_of_name(name);
      const std::string path = std::string(folder) + "/" + name;
      // Not x86_64-linux-gnu-g++-12, which is the same as g++-12.
      if (!found || name.find("-linux-") != std::string::npos || !tree.is_program(path)) continue;
      found->path = path;
      compilers.installed.push_back(std::move(*found));
    }
  }
  // Red Hat's newer compilers lie in folders of their own.
  for (const auto& name : tree.list("/opt/rh")) {
    constexpr std::string_view start = "gcc-toolset-";
    if (!name.starts_with(start)) continue;
    const auto version = Version::parse(std::string_view(name).substr(start.size()));
    const std::string path = sys::tree_path("/opt/rh/" + name + "/root", "usr/bin/g++");
    if (version && tree.is_program(path)) compilers.installed.push_back({"gcc", *version, path});
  }
  std::sort(compilers.installed.begin(), compilers.installed.end(),
            [](const CompilerFacts& a, const CompilerFacts& b) { return b.version < a.version; });
  return compilers;
}

HostCompilers HostCompilers::with(const Version& toolkit) const {
  HostCompilers seen = *this;
  if (ccbin.empty()) return seen;
  if (compat::reads_ccbin(toolkit)) {
    seen.ccbin.clear();
  } else {
    seen.chosen = without_ccbin;
    seen.by_variable = false;
  }
  return seen;
}

void HostCompilers::tell(compat::Machine& machine) const {
  machine.compilers = installed;
  machine.by_ccbin = !ccbin.empty() && chosen;
  machine.without_ccbin = without_ccbin;
  if (without_ccbin) machine.compilers.insert(machine.compilers.begin(), *without_ccbin);
  if (chosen) machine.compilers.insert(machine.compilers.begin(), *chosen);
}

std::optional<Version> version_of_glibc(std::string_view bytes) {
  constexpr std::string_view start = "GNU C Library ";
  constexpr std::string_view label = "release version ";
  const auto at = bytes.find(start);
  if (at == std::string_view::npos) return std::nullopt;
  const auto line = bytes.substr(at, 256);
  const auto found = line.find(label);
  if (found == std::string_view::npos) return std::nullopt;
  auto digits = line.substr(found + label.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789."));
  while (digits.ends_with('.')) digits.remove_suffix(1);
  return Version::parse(digits);
}

std::optional<Version> glibc_version(const sys::Tree& tree) {
  if (tree.is_machine()) return Version::parse(sys::c_library_version());
  for (const char* folder : {"/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64",
                             "/lib/aarch64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib"}) {
    const auto bytes = tree.read(std::string(folder) + "/libc.so.6", largest_libc);
    if (!bytes) continue;
    if (auto version = version_of_glibc(*bytes)) return version;
  }
  return std::nullopt;
}

}  // namespace cudaenv::doctor
