#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "catalog/wheels.hpp"

namespace cudaenv::catalog {
namespace {

struct SharedLibrary {
  std::string base;                   // "libcudart.so"
  std::vector<std::uint64_t> number;  // 11, 0
};

// "libcudart.so.11.0" in parts; nothing for a name without a number at its end.
std::optional<SharedLibrary> numbered_library(std::string_view name) {
  constexpr std::string_view mark = ".so.";
  const auto at = name.rfind(mark);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  SharedLibrary library{std::string(name.substr(0, at + mark.size() - 1)), {}};
  for (const auto part : text::split(name.substr(at + mark.size()), '.')) {
    const auto number = text::parse_unsigned(part);
    if (!number) return std::nullopt;
    library.number.push_back(*number);
  }
  return library;
}

// The newer major is what one links with; of one major the shorter name, its soname.
bool is_better_target(const SharedLibrary& candidate, const SharedLibrary& chosen) {
  if (candidate.number[0] != chosen.number[0]) return candidate.number[0] > chosen.number[0];
  if (candidate.number.size() != chosen.number.size())
    return candidate.number.size() < chosen.number.size();
  return candidate.number > chosen.number;
}

std::string_view folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view name_of_file(std::string_view path) { return path.substr(path.rfind('/') + 1); }

constexpr std::string_view sanitizer_folder = "compute-sanitizer";
constexpr const char* sanitizer_program = "compute-sanitizer/compute-sanitizer";
constexpr const char* sanitizer_in_path = "bin/compute-sanitizer";

// Wheels before 13 carry this library without its number, but programs ask for its soname.
constexpr const char* libnvvm = "nvvm/lib64/libnvvm.so";
constexpr const char* libnvvm_soname = "nvvm/lib64/libnvvm.so.4";

}  // namespace

std::vector<std::pair<std::string, std::string>> missing_links(
    std::string_view component, const std::vector<std::string>& placed) {
  const std::set<std::string_view> present(placed.begin(), placed.end());
  std::map<std::string, std::string> links;
  std::map<std::string, SharedLibrary> chosen;
  for (const std::string& path : placed) {
    const auto folder = folder_of(path);
    if (folder != "lib" && folder != "nvvm/lib64") continue;
    auto library = numbered_library(name_of_file(path));
    if (!library) continue;
    const std::string link = std::string(folder) + "/" + library->base;
    if (present.count(link)) continue;
    const auto [best, fresh] = chosen.emplace(link, *library);
    if (!fresh && !is_better_target(*library, best->second)) continue;
    best->second = std::move(*library);
    links[link] = name_of_file(path);
  }

  if (present.count(libnvvm) && !present.count(libnvvm_soname))
    links[libnvvm_soname] = name_of_file(libnvvm);
  if (component == "cuda_sanitizer_api" && present.count(sanitizer_program) &&
      !present.count(sanitizer_in_path)) {
    links[sanitizer_in_path] = std::string("../") + sanitizer_program;
  }
  return {links.begin(), links.end()};
}

bool is_program(std::string_view placed, std::string_view first_bytes) {
  if (!first_bytes.starts_with("\x7f"
                               "ELF") &&
      !first_bytes.starts_with("#!")) {
    return false;
  }
  const auto name = name_of_file(placed);
  if (name.ends_with(".so") || name.find(".so.") != std::string_view::npos) return false;
  const auto folder = folder_of(placed);
  return folder == "bin" || folder == "nvvm/bin" || folder == sanitizer_folder ||
         folder == "compute-sanitizer/x86";
}

Shortfall wheel_shortfall(std::string_view component, unsigned cuda_major, unsigned cuda_minor) {
  // Seen in NVIDIA's wheels of 11.8, 12.0 to 12.9 and 13.0 to 13.5, beside what its archives of
  // the same releases hold. Rows of one component follow each other in time; the first whose end
  // lies after the release counts.
  struct Row {
    std::string_view component;
    unsigned before_major, before_minor;  // the release that has it no more; 0: all have it
    std::string_view what;
    bool unusable;
  };
  static constexpr Row rows[] = {
      {"cuda_nvcc", 13, 0,
       "no nvcc, cicc, cudafe++, fatbinary, nvlink: before CUDA 13 the wheel only has ptxas, "
       "libnvvm and headers",
       true},
      {"cuda_cudart", 12, 9,
       "no static libraries (cudart_static, cudadevrt, culibos), which nvcc links by default, "
       "and no stub of libcuda",
       true},
      {"cuda_cudart", 0, 0, "no stub of libcuda", false},
      {"cuda_cupti", 0, 0, "no static libraries, samples and documentation", false},
      {"cuda_cuxxfilt", 0, 0, "no cu++filt and no libcufilt.a: only a header", false},
      {"cuda_nvml_dev", 0, 0, "no stub of libnvidia-ml: only a header", false},
      {"cuda_nvrtc", 0, 0, "no static libraries", false},
      {"cuda_sanitizer_api", 12, 9, "no compute-sanitizer program: only libraries and headers",
       false},
      {"cuda_sanitizer_api", 13, 0,
       "no launcher that follows child processes; 12.9.0: no compute-sanitizer program either",
       false},
      {"cuda_sanitizer_api", 13, 4, "no launcher that follows child processes", false},
      {"cudnn", 0, 0, "no static libraries", false},
      {"libcublas", 0, 0, "no static libraries and stubs", false},
      {"libcufft", 0, 0, "no static libraries and stubs", false},
      {"libcufile", 0, 0, "no static libraries, samples and tools", false},
      {"libcurand", 0, 0, "no static libraries and stubs", false},
      {"libcusolver", 0, 0, "no static libraries and stubs", false},
      {"libcusparse", 0, 0, "no static libraries and stubs", false},
      {"libnpp", 0, 0, "no static libraries and stubs", false},
      {"libnvfatbin", 0, 0, "no static libraries and stubs", false},
      {"libnvjitlink", 0, 0, "no static libraries and stubs", false},
      {"libnvjpeg", 0, 0, "no static libraries and stubs", false},
  };
  const auto release = std::pair(cuda_major, cuda_minor);
  for (const Row& row : rows) {
    if (row.component != component) continue;
    if (row.before_major != 0 && release >= std::pair(row.before_major, row.before_minor)) continue;
    return {std::string(row.what), row.unusable};
  }
  return {};
}

}  // namespace cudaenv::catalog
