#pragma once

#include <string>
#include <string_view>

#include "sys/environment.hpp"

namespace cudaenv::cli {

// How text for people is set on one stream: colours only on a terminal, never with NO_COLOR or
// TERM=dumb. Everything reads well without.
class Style {
 public:
  explicit Style(bool colour = false) : colour_(colour) {}
  static Style for_stream(int fd, const sys::Environment& environment);

  bool colour() const { return colour_; }
  std::string bold(std::string_view text) const { return set("1", text); }
  std::string dim(std::string_view text) const { return set("2", text); }
  std::string red(std::string_view text) const { return set("1;31", text); }
  std::string green(std::string_view text) const { return set("32", text); }
  std::string yellow(std::string_view text) const { return set("33", text); }
  std::string cyan(std::string_view text) const { return set("36", text); }

 private:
  std::string set(const char* code, std::string_view text) const;
  bool colour_;
};

}  // namespace cudaenv::cli
