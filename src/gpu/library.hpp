#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cudaenv::gpu {

// A shared library loaded at run time, in a child process: it stays loaded as long as that lives,
// since drivers do not survive being unloaded.
class Library {
 public:
  // The driver's own, wherever the system keeps it. Throws CheckFailed(no_driver).
  static Library libcuda();
  // The driver's management library. Throws CheckSkipped where there is none.
  static Library nvml();
  // One of a toolkit's, with what it needs from the same folder, as if LD_LIBRARY_PATH named that.
  // Throws CheckFailed(library) that says which file and why.
  static Library open(const std::filesystem::path& file);

  // Throws CheckFailed(library) where the library has no such function.
  template <typename Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address(name));
  }
  // The same, or a null pointer.
  template <typename Function>
  void find_if_present(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address_if_present(name));
  }

  const std::filesystem::path& file() const { return file_; }

 private:
  Library(void* handle, std::filesystem::path file) : handle_(handle), file_(std::move(file)) {}
  void* address(const char* name) const;
  void* address_if_present(const char* name) const;

  void* handle_;
  std::filesystem::path file_;
};

// Where a toolkit keeps its libraries: lib64, lib, targets/*/lib, as far as they exist.
std::vector<std::filesystem::path> library_folders(const std::filesystem::path& toolkit);

// A toolkit's libNAME.so.N by the shortest name, which is the one that programs ask for; an empty
// path where it has none.
std::filesystem::path find_library(const std::filesystem::path& toolkit, std::string_view name);

// Loads what the toolkit has of these libraries, so that whoever asks for them by name gets these,
// whatever LD_LIBRARY_PATH says. One that cannot be loaded is left to whoever needs it.
void preload(const std::filesystem::path& toolkit, const std::vector<std::string_view>& names);

}  // namespace cudaenv::gpu
