#include "sys/scratch.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "sys/file.hpp"

namespace cudaenv::sys {

ScratchFolder::ScratchFolder(const fs::path& parent) {
  std::string name = (parent.empty() ? fs::path("/tmp") : parent) / "cudaenv.XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) fail(errno, "create the folder", name);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  try {
    remove_tree(path_);
  } catch (const Error&) {
    // What is left in TMPDIR is the system's to clear away.
  }
}

}  // namespace cudaenv::sys
