#pragma once

#include <string>
#include <vector>

namespace cudaenv::cli {

// Rows in columns as wide as their widest cell, two blanks between; colours in cells do not
// count. The last column is not padded.
std::string table(const std::vector<std::vector<std::string>>& rows);

// How many columns of a terminal the text takes: without colour codes, UTF-8 sequences as one.
std::size_t shown_width(const std::string& text);

}  // namespace cudaenv::cli
