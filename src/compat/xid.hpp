#pragma once

#include <string>
#include <vector>

#include "compat/tables.hpp"

namespace cudaenv::compat {

// What an Xid, a fault that the kernel module reports of a GPU, means by the tables.
struct XidMeaning {
  std::string text;         // "Xid 31 (GPU memory page fault)"
  bool of_program = false;  // a program's own fault can cause it: it says nothing of the GPU
  std::string cause;        // empty: nothing is known of this one
  std::vector<std::string> help;
};
XidMeaning meaning_of_xid(const Tables& tables, unsigned number);

}  // namespace cudaenv::compat
