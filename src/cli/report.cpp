#include "cli/report.hpp"

#include "base/url.hpp"

namespace cudaenv::cli {

std::string rendered(const Error& error, const Style& style) {
  std::string text = style.red("error:") + " " + without_secrets(error.message()) + "\n";
  for (const auto& cause : error.causes()) text += "  " + without_secrets(cause) + "\n";
  for (const auto& advice : error.advice()) {
    text += style.cyan("help:") + " " + without_secrets(advice) + "\n";
  }
  return text;
}

int exit_status(const Error& error) {
  return error.kind() == ErrorKind::usage ? Exit::wrong_usage : Exit::failed;
}

}  // namespace cudaenv::cli
