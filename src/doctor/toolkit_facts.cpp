#include "doctor/toolkit_facts.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "gpu/cuda_number.hpp"

namespace cudaenv::doctor {
namespace {

constexpr std::size_t largest_header = 4u << 20;
constexpr std::size_t largest_nvcc = 64u << 20;
constexpr std::size_t most_unreadable = 5;

std::optional<Version> leading_version(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789.");
  return Version::parse(text.substr(0, end));
}

// The first of these that is there, below the prefix.
std::string first_file(const sys::Tree& tree, const std::string& prefix,
                       std::initializer_list<std::string_view> names) {
  for (const auto name : names) {
    const std::string path = sys::tree_path(prefix, name);
    if (tree.is_file(path)) return path;
  }
  return {};
}

// The folder below the prefix in which one of the files lies.
std::string folder_with(const sys::Tree& tree, const std::string& prefix,
                        std::initializer_list<std::string_view> folders,
                        std::initializer_list<std::string_view> beginnings) {
  for (const auto folder : folders) {
    const std::string path = sys::tree_path(prefix, folder);
    for (const auto& name : tree.list(path)) {
      const bool fits = std::any_of(beginnings.begin(), beginnings.end(),
                                    [&](const auto start) { return name.starts_with(start); });
      if (fits) return path;
    }
  }
  return {};
}

// "12.1.105" of libcudart.so.12.1.105, else the soname's "12" or "11.0", which says less.
std::optional<Version> version_of_libcudart(const sys::Tree& tree, const std::string& lib) {
  constexpr std::string_view start = "libcudart.so.";
  std::optional<Version> best;
  for (const auto& name : tree.list(lib)) {
    if (!name.starts_with(start)) continue;
    const auto version = Version::parse(std::string_view(name).substr(start.size()));
    if (!version || version->parts().size() < 3) continue;
    if (!best || *best < *version) best = version;
  }
  return best ? std::optional(best->first(2)) : std::nullopt;
}

void claim(ToolkitFacts& facts, std::string source, const std::optional<Version>& version) {
  if (version) facts.claims.push_back({std::move(source), *version});
}

void read_claims(const sys::Tree& tree, ToolkitFacts& facts) {
  const auto text = [&](const std::string& path, std::size_t most = 1 << 16) {
    return tree.read(path, most).value_or("");
  };
  claim(facts, "version.json", version_of_json(text(facts.path + "/version.json")));
  claim(facts, "version.txt", version_of_text(text(facts.path + "/version.txt")));
  if (!facts.include.empty()) {
    claim(facts, "cuda.h", version_of_header(text(facts.include + "/cuda.h", largest_header)));
  }
  if (!facts.lib.empty()) claim(facts, "libcudart", version_of_libcudart(tree, facts.lib));
  // A file of 30 MB, so only where nothing else speaks.
  if (facts.claims.empty() && !facts.nvcc.empty()) {
    claim(facts, "nvcc", version_of_nvcc(text(facts.nvcc, largest_nvcc)));
  }
}

// What a user who is not its owner cannot use: for another account's programs it is not there.
void find_unreadable(const sys::Tree& tree, ToolkitFacts& facts) {
  const auto look = [&](const std::string& path) {
    const auto stat = path.empty() ? std::nullopt : tree.stat(path);
    if (!stat || facts.unreadable.size() >= most_unreadable) return;
    const unsigned needed = stat->kind == sys::Kind::directory ? 0005u : 0004u;
    if ((stat->mode & needed) != needed) facts.unreadable.push_back(path);
  };
  for (const auto* path :
       {&facts.path, &facts.include, &facts.lib, &facts.nvcc, &facts.ptxas, &facts.libdevice}) {
    look(*path);
  }
  for (const auto* folder : {&facts.lib, &facts.include}) {
    if (folder->empty() || facts.split) continue;
    for (const auto& name : tree.list(*folder)) look(*folder + "/" + name);
  }
}

Owner owner_of(const sys::Tree& tree, const std::string& path) {
  if (tree.is_file(path + "/.cudaenv/receipt.json")) return Owner::cudaenv;
  if (tree.is_directory(path + "/conda-meta")) return Owner::conda;
  if (path == "/usr" || path.starts_with("/usr/lib/")) return Owner::distribution;
  return Owner::nvidia;
}

}  // namespace

std::string_view name_of(Owner owner) {
  switch (owner) {
    case Owner::cudaenv:
      return "cudaenv";
    case Owner::nvidia:
      return "other installer";
    case Owner::distribution:
      return "distribution";
    case Owner::conda:
      return "conda";
  }
  return "";
}

std::optional<Version> ToolkitFacts::version() const {
  std::optional<Version> best;
  for (const auto& one : claims) {
    if (!best || best->parts().size() < one.version.parts().size()) best = one.version;
  }
  return best;
}

std::string ToolkitFacts::shown() const {
  const auto known = version();
  return fmt::format("{} in `{}`", known ? "CUDA " + known->text() : "a CUDA of unknown version",
                     text::visible(path));
}

std::string ToolkitFacts::spec() const {
  const std::string name = path.substr(path.rfind('/') + 1);
  const auto known = version();
  return known && name == "cuda-" + known->text() ? known->text() : text::shell_quoted(name);
}

std::string ToolkitFacts::activation() const {
  if (owner == Owner::cudaenv) return fmt::format("eval \"$(cudaenv use {})\"", spec());
  return fmt::format("export CUDA_HOME={0} CUDA_PATH={0} PATH={0}/bin:$PATH",
                     text::shell_quoted(path));
}

std::optional<ToolkitFacts> toolkit_facts(const sys::Tree& tree, std::string_view path) {
  const auto real = tree.resolve(path);
  if (!real || !tree.is_directory(*real)) return std::nullopt;
  ToolkitFacts facts;
  facts.path = *real;
  facts.owner = owner_of(tree, *real);
  facts.split = facts.owner == Owner::distribution;
  const std::string& at = facts.path;
  facts.nvcc = tree.is_program(at + "/bin/nvcc") ? at + "/bin/nvcc" : "";
  if (facts.split) {
    facts.libdevice = first_file(tree, "/usr",
                                 {"lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc",
                                  "lib/cuda/nvvm/libdevice/libdevice.10.bc"});
    facts.ptxas = first_file(tree, "/usr", {"bin/ptxas", "lib/nvidia-cuda-toolkit/bin/ptxas"});
    facts.include = folder_with(tree, "/usr", {"include"}, {"cuda.h", "cuda_runtime_api.h"});
    facts.lib = folder_with(
        tree, "/usr", {"lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64"}, {"libcudart.so"});
    if (facts.nvcc.empty() && tree.is_program("/usr/bin/nvcc")) facts.nvcc = "/usr/bin/nvcc";
  } else {
    facts.libdevice = first_file(tree, at, {"nvvm/libdevice/libdevice.10.bc"});
    facts.ptxas = first_file(tree, at, {"bin/ptxas"});
    facts.include = folder_with(tree, at,
                                {"include", "targets/x86_64-linux/include",
                                 "targets/sbsa-linux/include", "targets/aarch64-linux/include"},
                                {"cuda.h", "cuda_runtime_api.h"});
    facts.lib = folder_with(tree, at,
                            {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
                             "targets/aarch64-linux/lib"},
                            {"libcudart.so", "libcudart_static.a"});
    facts.lib64 =
        facts.lib.empty() || facts.owner == Owner::conda || tree.is_directory(at + "/lib64");
  }
  if (facts.nvcc.empty() && facts.include.empty() && facts.lib.empty()) return std::nullopt;
  read_claims(tree, facts);
  if (facts.owner != Owner::conda) find_unreadable(tree, facts);
  return facts;
}

std::string prefix_of_nvcc(const sys::Tree& tree, std::string_view nvcc) {
  const std::string real = tree.resolve(nvcc).value_or(std::string(nvcc));
  // Debian's /usr/bin/nvcc leads to, or starts, /usr/lib/nvidia-cuda-toolkit/bin/nvcc.
  if (real.starts_with("/usr/lib/nvidia-cuda-toolkit/") || real == "/usr/bin/nvcc") return "/usr";
  const std::string folder = sys::tree_path(real, "..");
  return sys::tree_path(folder, "..");
}

std::optional<Version> version_of_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("cuda") || !json["cuda"].is_object()) return std::nullopt;
  const auto found = json["cuda"].find("version");
  if (found == json["cuda"].end() || !found->is_string()) return std::nullopt;
  return Version::parse(found->get_ref<const std::string&>());
}

std::optional<Version> version_of_text(std::string_view text) {
  constexpr std::string_view label = "CUDA Version ";
  const auto at = text.find(label);
  return at == std::string_view::npos ? std::nullopt
                                      : leading_version(text.substr(at + label.size(), 32));
}

std::optional<Version> version_of_header(std::string_view text) {
  for (const std::string_view label : {"#define CUDA_VERSION ", "#define CUDART_VERSION "}) {
    const auto at = text.find(label);
    if (at == std::string_view::npos) continue;
    const auto rest = text::trimmed(text.substr(at + label.size(), 32));
    const auto digits = rest.substr(0, rest.find_first_not_of("0123456789"));
    return gpu::cuda_from_number(
        static_cast<long long>(text::parse_unsigned(digits).value_or(0) % 10'000'000));
  }
  return std::nullopt;
}

std::optional<Version> version_of_nvcc(std::string_view text) {
  constexpr std::string_view label = "release ";
  for (auto at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
    const auto rest = text.substr(at + label.size(), 32);
    auto version = leading_version(rest);
    if (!version || version->parts().size() != 2) continue;
    if (rest.substr(version->text().size()).starts_with(", V")) return version;
  }
  return std::nullopt;
}

}  // namespace cudaenv::doctor
