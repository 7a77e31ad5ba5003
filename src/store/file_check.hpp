#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "store/file_list.hpp"

namespace cudaenv::store {

enum class Difference { missing, changed, mode };

// How the file at `root`/`listed.path` differs from its listing, or nothing. Reads all of it; a
// link is compared by its target.
std::optional<Difference> difference(const std::filesystem::path& root, const ListedFile& listed,
                                     const Interrupt& interrupt);

// The files that a prefix was published with. Throws Error(corrupt) where its list is missing or
// damaged.
std::vector<ListedFile> files_of(const std::filesystem::path& prefix);

// The files and links below a prefix that its list does not name: somebody put them there. What
// cudaenv keeps in .cudaenv/ is passed over. Sorted.
std::vector<std::string> unlisted_files(const std::filesystem::path& prefix,
                                        const std::vector<ListedFile>& listed);

}  // namespace cudaenv::store
