#pragma once

#include <string>

#include "cli/style.hpp"
#include "commands/compat.hpp"

namespace cudaenv::cli {

// What `compat` found, for each kind of reader. Columns that are empty in every row are left out
// where people read.
std::string matrix_text(const commands::CompatResult& result, const Style& style);
std::string matrix_json(const commands::CompatResult& result);
std::string matrix_markdown(const commands::CompatResult& result);
// A page of its own: no file, script or font from elsewhere.
std::string matrix_html(const commands::CompatResult& result);

}  // namespace cudaenv::cli
