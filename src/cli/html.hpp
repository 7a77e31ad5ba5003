#pragma once

#include <string>
#include <string_view>

// What the pages that cudaenv writes have in common. Each needs nothing but itself, follows the
// user's choice of light or dark, and is as wide as its window: what is wider scrolls in itself.
namespace cudaenv::cli {

// Text made fit for HTML, also within an attribute in double quotes.
std::string html_escaped(std::string_view text);

// The same of a sentence, in which `what one types` is set as code.
std::string html_prose(std::string_view text);

// "2026-11-30 18:34:07 UTC" of "2026-11-30T18:34:07Z".
std::string html_time(std::string_view iso);

// A whole page with this title and style beside the common one, which has these classes: `scroll`
// around what may be wide, `n` for numbers, `faint`, `good`, `warning`, `error`.
std::string html_page(std::string_view title, std::string_view style, std::string_view body);

}  // namespace cudaenv::cli
