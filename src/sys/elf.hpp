#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudaenv::sys {

// Up to `size` bytes of a file at `offset`; fewer at its end.
using ReadAt = std::function<std::string(std::uint64_t offset, std::size_t size)>;
// Of an open file. A failure reads as its end.
ReadAt read_at(int fd);

// What a shared library says of itself, read without loading it. 64-bit little-endian files only,
// which is what NVIDIA ships.
struct SharedLibrary {
  std::string soname;
  std::vector<std::string> needed;
  std::string run_path;  // DT_RUNPATH, else DT_RPATH
  unsigned machine = 0;  // e_machine: 62 x86-64, 183 AArch64
};

// Nothing where it is no such file or is damaged. Reads little whatever the file's size is.
std::optional<SharedLibrary> shared_library(const ReadAt& file);

// The 8-byte constant that a dynamic symbol whose name `accepts` labels, the first of them: cuDNN's
// parts have their version so (cudnn_graph_version is 91900). Nothing where there is none.
std::optional<std::uint64_t> symbol_constant(const ReadAt& file,
                                             const std::function<bool(std::string_view)>& accepts);

}  // namespace cudaenv::sys
