#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cudaenv::catalog {

// What the parts of a release must look like, whether NVIDIA's JSON or our index brings them.

// A component, a product or a variant: letters, digits, '.', '_', '+', '-', beginning with a
// letter or digit, at most 80 characters. So it can be a file's name.
bool is_plain_name(std::string_view name);

// A relative path of plain characters: no empty part, none that begins with a dot, nothing that a
// URL or a shell reads in its own way, at most 300 characters.
bool is_safe_path(std::string_view path);

// "2023-04-19", by its shape.
bool is_date(std::string_view text);

// An archive's size in bytes: decimal digits, at least 1, at most 256 GiB.
std::optional<std::uint64_t> parse_size(std::string_view digits);

}  // namespace cudaenv::catalog
