#include "cli/report.hpp"

namespace cudaenv::cli {

std::string rendered(const Error& error, const Style& style) {
  std::string text = style.red("error:") + " " + error.message() + "\n";
  for (const auto& cause : error.causes()) text += "  " + cause + "\n";
  for (const auto& advice : error.advice()) text += style.cyan("help:") + " " + advice + "\n";
  return text;
}

int exit_status(const Error& error) {
  return error.kind() == ErrorKind::usage ? Exit::wrong_usage : Exit::failed;
}

}  // namespace cudaenv::cli
