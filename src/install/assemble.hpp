#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "install/merge.hpp"
#include "store/file_list.hpp"

namespace cudaenv::install {

struct Assembled {
  std::vector<store::ListedFile> files;  // as they stand in the prefix
  std::string shared_how;                // "hard links", "reflinks" or "copies"
};

// Writes the placements below `folder`, an empty folder on the store's filesystem. Files are
// shared with the store by reflink, else hard link, else copied.
Assembled assemble(const std::vector<Placement>& placements, const std::filesystem::path& folder,
                   const Interrupt& interrupt);

}  // namespace cudaenv::install
