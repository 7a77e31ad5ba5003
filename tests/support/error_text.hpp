#pragma once

#include <functional>
#include <string>

namespace cudaenv::test {

// The Error that an action ends with, in one line: what, why and, behind bars, what to type.
// "no error" where it ends well.
std::string error_text(const std::function<void()>& action);

}  // namespace cudaenv::test
