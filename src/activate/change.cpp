#include "activate/change.hpp"

#include "base/text.hpp"

namespace cudaenv::activate {
namespace {

std::string value_of(const Variables& variables, std::string_view name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

// Takes the lists' entries of the toolkit that was active before out.
void leave(Variables& variables, const std::string& former) {
  const std::pair<std::string_view, std::string_view> lists[] = {
      {"PATH", "/bin"},
      {"LD_LIBRARY_PATH", "/lib"},
      {"LD_LIBRARY_PATH", "/lib64"},
      {"MANPATH", "/share/man"},
      {"PKG_CONFIG_PATH", "/pkg-config"}};
  for (const auto& [name, folder] : lists) {
    const auto found = variables.find(name);
    if (found == variables.end()) continue;
    found->second = without_entry(found->second, former + std::string(folder));
  }
}

}  // namespace

Variables activated(const Variables& before, const std::string& prefix, const Options& options) {
  Variables after = before;
  const std::string former = value_of(before, "CUDA_HOME");
  if (!former.empty() && former != prefix) leave(after, former);
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT"}) {
    after[name] = prefix;
  }
  if (options.cudacxx) after["CUDACXX"] = prefix + "/bin/nvcc";
  after["PATH"] = with_first(value_of(after, "PATH"), prefix + "/bin");
  if (options.ld_path) {
    after["LD_LIBRARY_PATH"] = with_first(value_of(after, "LD_LIBRARY_PATH"), prefix + "/lib");
  }
  after["PKG_CONFIG_PATH"] = with_first(value_of(after, "PKG_CONFIG_PATH"), prefix + "/pkg-config");
  // An unset MANPATH means the system's own folders; a list without an empty element hides them,
  // so an unset one is left alone.
  const std::string man = value_of(after, "MANPATH");
  if (!man.empty()) after["MANPATH"] = with_first(man, prefix + "/share/man");
  return after;
}

std::string with_first(std::string_view list, std::string_view entry) {
  const std::string rest = without_entry(list, entry);
  return rest.empty() ? std::string(entry) : std::string(entry) + ":" + rest;
}

std::string without_entry(std::string_view list, std::string_view entry) {
  std::string result;
  for (const auto element : text::split(list, ':')) {
    if (element.empty() || element == entry) continue;
    if (!result.empty()) result += ':';
    result += element;
  }
  return result;
}

}  // namespace cudaenv::activate
