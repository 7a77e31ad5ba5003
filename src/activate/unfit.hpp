#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace cudaenv::activate {

// That `form`, a shell or a kind of file, cannot hold the value of a variable.
Error unfit(std::string_view form, std::string_view name, const std::string& why);

// For forms that are text: throws it for a value that is not UTF-8.
void check_text(std::string_view form, std::string_view name, std::string_view value);

}  // namespace cudaenv::activate
