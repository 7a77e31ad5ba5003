#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/platform.hpp"
#include "model/version.hpp"
#include "store/file_list.hpp"

namespace cudaenv::install {

// One component's unpacked files, as they lie in the store.
struct Piece {
  std::string component;
  std::string version;
  std::filesystem::path tree;
  std::vector<store::ListedFile> files;
};

// How one file or link of a prefix comes to be.
struct Placement {
  enum class How {
    share,    // hard link to the store's file
    copy,     // a copy: people edit it
    rewrite,  // a .pc file: cudaroot follows the file's own place
    link,     // a symlink to `file.target`
    text,     // written by us: `content`
  };
  How how = How::share;
  store::ListedFile file;      // in the prefix; sha256 and size of rewritten ones come later
  std::filesystem::path from;  // in the store
  std::string content;
};

// Puts the components of a release together to one tree in the layout of an installed toolkit:
// licences go to share/licenses/<component>/, a file that two components bring with equal bytes
// is taken once, and lib64, targets/, extras/CUPTI, the tools of Nsight and version.json are
// added. Sorted by path. Pure. Throws Error(corrupt) that names both components where one path
// is claimed with different bytes, or as a file by one and a folder by the other.
std::vector<Placement> merge(const std::vector<Piece>& pieces, const Version& cuda,
                             const Platform& platform);

// The text of a .pc file with its cudaroot relative to the file itself, so that it holds wherever
// the prefix is moved. `path` is the file's place in the prefix.
std::string relocated_pc(std::string_view text, std::string_view path);

}  // namespace cudaenv::install
