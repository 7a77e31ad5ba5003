#pragma once

#include <string>
#include <string_view>
#include <vector>

// Drivers, papers and people spell the name of a GPU differently; its words are the same.
namespace cudaenv::compat {

// In small letters: "Tesla V100-SXM2-16GB" is tesla, v100, sxm2, 16gb.
std::vector<std::string> words_of(std::string_view name);

// Those that tell it from others: "NVIDIA GeForce RTX 4090 Laptop GPU" is rtx, 4090, laptop, gpu.
std::vector<std::string> telling_words(std::string_view name);

}  // namespace cudaenv::compat
