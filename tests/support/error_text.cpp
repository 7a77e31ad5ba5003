#include "support/error_text.hpp"

#include "base/error.hpp"

namespace cudaenv::test {

std::string error_text(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    std::string text = error.what();
    for (const auto& advice : error.advice()) text += " | " + advice;
    return text;
  }
  return "no error";
}

}  // namespace cudaenv::test
