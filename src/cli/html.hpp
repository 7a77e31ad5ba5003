#pragma once

#include <string>
#include <string_view>

namespace cudaenv::cli {

// Text made fit for HTML, also within an attribute in double quotes.
std::string html_escaped(std::string_view text);

}  // namespace cudaenv::cli
