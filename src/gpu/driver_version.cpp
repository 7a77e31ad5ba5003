#include "gpu/driver_version.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sys/child.hpp"

namespace cudaenv::gpu {
namespace {

// In the child: what libcuda says, or 0.
int ask_libcuda() {
  void* library = nullptr;
  // WSL2 keeps the driver's libraries in a folder of its own that not every loader knows.
  for (const char* name : {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}) {
    library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library) break;
  }
  if (!library) return 0;
  using GetVersion = int (*)(int*);
  const auto get_version = reinterpret_cast<GetVersion>(::dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  if (!get_version || get_version(&version) != 0) return 0;
  return version;
}

// libcuda counts 1000 * major + 10 * minor.
std::optional<Version> from_number(std::uint64_t number) {
  if (number < 1000 || number > 1'000'000) return std::nullopt;
  return Version::parse(fmt::format("{}.{}", number / 1000, number % 1000 / 10));
}

}  // namespace

std::optional<Version> driver_cuda_version(const Interrupt& interrupt,
                                           std::chrono::milliseconds limit) {
  const auto outcome = sys::run_in_child(
      [](const sys::ChildReport& report) { report.line(fmt::format("{}", ask_libcuda())); },
      {limit, 64}, interrupt);
  if (outcome.lines.empty()) return std::nullopt;
  return from_number(text::parse_unsigned(outcome.lines.front()).value_or(0));
}

}  // namespace cudaenv::gpu
