#include "cli/style.hpp"

#include "sys/terminal.hpp"

namespace cudaenv::cli {

Style Style::for_stream(int fd, const sys::Environment& environment) {
  const bool wanted = !environment.non_empty("NO_COLOR") && environment.get("TERM") != "dumb";
  return Style(wanted && sys::is_terminal(fd));
}

std::string Style::set(const char* code, std::string_view text) const {
  if (!colour_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace cudaenv::cli
