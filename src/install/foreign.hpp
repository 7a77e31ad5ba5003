#pragma once

#include <filesystem>
#include <string_view>

namespace cudaenv::install {

// Throws Error(missing) where a link or a folder without our receipt stands in a prefix's place,
// and Error(corrupt) where a receipt is there that cannot be read.
void refuse_foreign_folder(const std::filesystem::path& prefix);

// Throws Error(busy) naming the files of a prefix that cudaenv did not put there, and
// Error(corrupt) where its list of files is missing or damaged: then nobody can tell. `or_else` is
// what to type to lose them.
void refuse_foreign_files(const std::filesystem::path& prefix, std::string_view or_else);

}  // namespace cudaenv::install
