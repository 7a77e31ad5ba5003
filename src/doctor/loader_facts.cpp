#include "doctor/loader_facts.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sys/elf.hpp"

namespace cudaenv::doctor {
namespace {

constexpr std::size_t largest_cache = 16u << 20;
constexpr std::size_t most_folders = 200;
constexpr std::size_t most_libraries = 1000;  // of one folder

// Families of NVIDIA's libraries: what stands before ".so" begins so.
constexpr std::array families{"libcuda",       "libcudart",     "libcublas",
                              "libcudnn",      "libcufft",      "libcurand",
                              "libcusolver",   "libcusparse",   "libcupti",
                              "libnvrtc",      "libnvJitLink",  "libnvjpeg",
                              "libnccl",       "libnpp",        "libnvvm",
                              "libnvToolsExt", "libcufile",     "libcutensor",
                              "libnvinfer",    "libnvidia-ml",  "libnvidia-ptxjitcompiler",
                              "libnvshmem",    "libcusparseLt", "libcudss",
                              "libOpenCL"};

// cuDNN's parts hold their version as 1000 or 10000 times the major: 8907 is 8.9.7, 91900 9.19.0.
std::optional<Version> cudnn_version(std::uint64_t number) {
  if (number >= 1000 && number < 10'000) {
    return Version::parse(
        fmt::format("{}.{}.{}", number / 1000, number % 1000 / 100, number % 100));
  }
  if (number >= 90'000 && number < 1'000'000) {
    return Version::parse(
        fmt::format("{}.{}.{}", number / 10'000, number % 10'000 / 100, number % 100));
  }
  return std::nullopt;
}

// "12.1.105" of libcudart.so.12.1.105; nothing of a soname.
std::optional<Version> version_in_name(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  const auto at = name.find(".so.");
  if (at == std::string_view::npos) return std::nullopt;
  auto version = Version::parse(name.substr(at + 4));
  if (!version || version->parts().size() < 3) return std::nullopt;
  return version;
}

bool is_version_symbol(std::string_view name) {
  return name.starts_with("cudnn_") && name.ends_with("_version");
}

// A library of another word size, or on this machine of another processor: the loader passes it
// over and looks on.
bool is_passed_over(const sys::ReadAt& read, bool machine) {
  constexpr std::size_t class_at = 4;
  constexpr char class_64 = 2;
  constexpr std::size_t processor_at = 18;
  const std::string head = read(0, processor_at + 2);
  if (head.size() < processor_at + 2 || !head.starts_with("\x7f"
                                                          "ELF"))
    return false;
  if (head[class_at] != class_64) return true;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(head[at]); };
  const unsigned processor = byte(processor_at) + 256u * byte(processor_at + 1);
#if defined(__x86_64__)
  constexpr unsigned own = 62;
#elif defined(__aarch64__)
  constexpr unsigned own = 183;
#else
  const unsigned own = processor;
#endif
  return machine && processor != own;
}

// Nothing for a file that the loader does not take.
std::optional<LibraryFile> library_file(const sys::Tree& tree, std::string name,
                                        const std::string& real) {
  LibraryFile file;
  file.name = std::move(name);
  file.path = real;
  file.version = version_in_name(real);
  const sys::Fd fd = tree.open_file(real);
  if (!fd) return file;
  const auto read = sys::read_at(fd.get());
  if (is_passed_over(read, tree.is_machine())) return std::nullopt;
  if (auto library = sys::shared_library(read)) {
    file.soname = text::visible(library->soname);
    file.run_path = text::visible(library->run_path, 1000);
  }
  if (!file.version && file.name.starts_with("libcudnn")) {
    const auto number = sys::symbol_constant(read, is_version_symbol);
    if (number) file.version = cudnn_version(*number);
  }
  return file;
}

void read_cache(const sys::Tree& tree, LoaderFacts& facts) {
  std::set<std::string> seen;
  const auto bytes = tree.read("/etc/ld.so.cache", largest_cache).value_or("");
  for (auto& cached : sys::loader_cache(bytes)) {
    if (!cached.for_64_bit || !is_nvidia_library(cached.name) || !soname_major(cached.name)) {
      continue;
    }
    if (!seen.insert(cached.name + '\n' + cached.path).second) continue;
    const auto real = tree.resolve(cached.path);
    if (real && tree.is_file(*real)) {
      if (auto file = library_file(tree, cached.name, *real)) {
        facts.cached.push_back(std::move(*file));
      }
    } else {
      facts.stale.push_back(std::move(cached));
    }
  }
}

}  // namespace

bool is_nvidia_library(std::string_view name) {
  const auto end = name.find(".so");
  if (end == std::string_view::npos) return false;
  const auto stem = name.substr(0, end);
  return std::any_of(families.begin(), families.end(), [&](const std::string_view family) {
    // "libcuda" is one library, not the beginning of all that are called so.
    if (family == "libcuda" || family == "libcudart") return stem == family;
    return stem.starts_with(family);
  });
}

std::optional<unsigned> soname_major(std::string_view name) {
  const auto at = name.find(".so.");
  if (at == std::string_view::npos) return std::nullopt;
  const auto version = Version::parse(name.substr(at + 4));
  return version ? std::optional(version->major()) : std::nullopt;
}

std::vector<LibraryFile> nvidia_libraries(const sys::Tree& tree, const std::string& folder) {
  std::vector<LibraryFile> files;
  for (auto& name : tree.list(folder)) {
    if (files.size() >= most_libraries) break;
    if (!is_nvidia_library(name) || !soname_major(name)) continue;
    const std::string path = folder + "/" + name;
    const auto real = tree.resolve(path);
    if (!real || !tree.is_file(*real)) continue;
    auto file = library_file(tree, std::move(name), *real);
    if (file) files.push_back(std::move(*file));
  }
  return files;
}

LoaderFacts loader_facts(const sys::Tree& tree, std::string_view ld_library_path) {
  LoaderFacts facts;
  if (!ld_library_path.empty()) {
    // The loader takes ';' for a separator as well.
    std::string elements(ld_library_path);
    std::replace(elements.begin(), elements.end(), ';', ':');
    for (const auto element : text::split(elements, ':')) {
      if (facts.folders.size() >= most_folders) break;
      LoaderFolder folder;
      folder.written = element;
      if (element.starts_with('/')) {
        const auto real = tree.resolve(element);
        if (real && tree.is_directory(*real)) folder.path = *real;
      }
      // A folder that stands there twice loads nothing the second time.
      const bool again = std::any_of(facts.folders.begin(), facts.folders.end(),
                                     [&](const auto& one) { return one.path == folder.path; });
      if (!folder.path.empty() && !again) folder.libraries = nvidia_libraries(tree, folder.path);
      facts.folders.push_back(std::move(folder));
    }
  }
  read_cache(tree, facts);
  return facts;
}

std::vector<LoaderFacts::Hit> LoaderFacts::hits(std::string_view name) const {
  std::vector<Hit> result;
  for (const auto& folder : folders) {
    for (const auto& file : folder.libraries) {
      if (file.name == name) result.push_back({&file, folder.written});
    }
  }
  for (const auto& file : cached) {
    if (file.name == name) result.push_back({&file, "ld.so.cache"});
  }
  return result;
}

std::vector<std::string> LoaderFacts::names(std::string_view start) const {
  std::set<std::string> names;
  for (const auto& folder : folders) {
    for (const auto& file : folder.libraries) {
      if (file.name.starts_with(start)) names.insert(file.name);
    }
  }
  for (const auto& file : cached) {
    if (file.name.starts_with(start)) names.insert(file.name);
  }
  return {names.begin(), names.end()};
}

}  // namespace cudaenv::doctor
