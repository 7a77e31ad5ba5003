#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "sys/child.hpp"

namespace cudaenv::gpu {

// What the loader is asked for. WSL2 keeps the driver's libraries in a folder of its own that not
// every loader knows.
inline constexpr std::initializer_list<const char*> libcuda_names{"libcuda.so.1",
                                                                  "/usr/lib/wsl/lib/libcuda.so.1"};
inline constexpr std::initializer_list<const char*> nvml_names{
    "libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"};

// In a child only: a library of the driver, and each call of it announced before it is made, so
// that the parent knows in which one it crashed or hung.
class LoadedLibrary {
 public:
  // Takes the first of these that the loader finds; reports the file, or why there is none.
  LoadedLibrary(std::initializer_list<const char*> names, const sys::ChildReport& report);

  bool loaded() const { return handle_ != nullptr; }
  // Whether it has a function of this name.
  bool has(const char* name) const;

  // Calls a function that returns a status: 0 is well, -1 that the library lacks it.
  template <typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    using Function = int (*)(Arguments...);
    const auto function = reinterpret_cast<Function>(address(name));
    if (!function) return -1;
    announce(name);
    return function(arguments...);
  }

  // "key<TAB>value", the value made fit to show.
  void tell(std::string_view key, std::string_view value) const;
  void tell(std::string_view key, long long value) const;

 private:
  void* address(const char* name) const;
  void announce(const char* name) const;

  void* handle_ = nullptr;
  const sys::ChildReport& report_;
};

}  // namespace cudaenv::gpu
