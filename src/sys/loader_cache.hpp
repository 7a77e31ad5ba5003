#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudaenv::sys {

struct CachedLibrary {
  std::string name;  // "libcudart.so.12"
  std::string path;
  bool for_64_bit = true;
};

// What /etc/ld.so.cache lists, in its order; of a damaged file what is whole. Both of glibc's
// formats, the old one with the new one behind it too.
std::vector<CachedLibrary> loader_cache(std::string_view bytes);

}  // namespace cudaenv::sys
