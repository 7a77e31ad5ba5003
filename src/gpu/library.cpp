#include "gpu/library.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

#include "base/text.hpp"
#include "gpu/checks.hpp"
#include "gpu/loaded_library.hpp"
#include "sys/file.hpp"

namespace cudaenv::gpu {

namespace fs = std::filesystem;

namespace {

std::string loader_words() {
  const char* words = ::dlerror();
  return words ? text::visible(words, 400) : "the loader does not say why";
}

// Of "libx.so.1: cannot open shared object file: ..." the file beside `file`.
fs::path missing_neighbour(const fs::path& file, const std::string& words) {
  const auto colon = words.find(": cannot open shared object file");
  if (colon == std::string::npos) return {};
  const std::string name = words.substr(0, colon);
  if (name.find('/') != std::string::npos || name == file.filename()) return {};
  const auto neighbour = file.parent_path() / name;
  return sys::exists(neighbour) ? neighbour : fs::path();
}

// RTLD_LOCAL throughout: a library that is asked for by name is found among the loaded ones all the
// same, and none takes another one's functions.
//
// The wheels' libraries look for each other in folders that a prefix does not have. `words` is why
// where it cannot be loaded.
void* load_with_needed(const fs::path& file, std::string& words, int depth) {
  constexpr int deepest = 16;
  fs::path before;
  while (true) {
    if (void* handle = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL)) return handle;
    words = loader_words();
    const auto needed = missing_neighbour(file, words);
    if (needed.empty() || needed == before || depth == deepest) return nullptr;
    before = needed;
    std::string deeper;
    if (!load_with_needed(needed, deeper, depth + 1)) {
      words = deeper;
      return nullptr;
    }
  }
}

bool is_versioned(std::string_view file, std::string_view name) {
  const std::string start = fmt::format("lib{}.so", name);
  if (!file.starts_with(start)) return false;
  const auto rest = file.substr(start.size());
  return rest.empty() || (rest.size() > 1 && rest[0] == '.' && text::is_digit(rest[1]));
}

// "libx.so.12" before "libx.so.12.1.105", and "libx.so", which only linkers ask for, last.
bool comes_before(const std::string& one, const std::string& other) {
  const bool bare = one.ends_with(".so");
  if (bare != other.ends_with(".so")) return !bare;
  return one.size() != other.size() ? one.size() < other.size() : one < other;
}

}  // namespace

Library Library::nvml() {
  for (const char* name : nvml_names) {
    if (void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return {handle, name};
  }
  throw CheckSkipped("there is no libnvidia-ml.so.1");
}

Library Library::libcuda() {
  for (const char* name : libcuda_names) {
    if (void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return {handle, name};
  }
  ::dlerror();
  ::dlopen("libcuda.so.1", RTLD_NOW);
  throw CheckFailed({Layer::no_driver, 0, "", loader_words()});
}

Library Library::open(const fs::path& file) {
  std::string words;
  if (void* handle = load_with_needed(file, words, 0)) return {handle, file};
  const std::string path = text::visible(file.string(), 400);
  throw CheckFailed({Layer::library, 0, "",
                     words.find(path) == std::string::npos
                         ? fmt::format("`{}` cannot be loaded: {}", path, words)
                         : words});
}

void* Library::address_if_present(const char* name) const { return ::dlsym(handle_, name); }

void* Library::address(const char* name) const {
  if (void* found = address_if_present(name)) return found;
  throw CheckFailed(
      {Layer::library, 0, "",
       fmt::format("`{}` has no function {}", text::visible(file_.string(), 400), name)});
}

std::vector<fs::path> library_folders(const fs::path& toolkit) {
  std::vector<fs::path> folders;
  for (const char* name : {"lib64", "lib"}) {
    if (sys::is_directory(toolkit / name)) folders.push_back(toolkit / name);
  }
  for (const auto& target : sys::list(toolkit / "targets")) {
    const auto folder = toolkit / "targets" / target / "lib";
    if (sys::is_directory(folder)) folders.push_back(folder);
  }
  return folders;
}

fs::path find_library(const fs::path& toolkit, std::string_view name) {
  for (const auto& folder : library_folders(toolkit)) {
    std::string best;
    for (const auto& file : sys::list(folder)) {
      if (is_versioned(file, name) && (best.empty() || comes_before(file, best))) best = file;
    }
    if (!best.empty()) return folder / best;
  }
  return {};
}

void preload(const fs::path& toolkit, const std::vector<std::string_view>& names) {
  for (const auto name : names) {
    const auto file = find_library(toolkit, name);
    std::string words;
    if (!file.empty()) load_with_needed(file, words, 0);
  }
}

}  // namespace cudaenv::gpu
