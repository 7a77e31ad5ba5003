#include "fuzz/fuzz.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/text.hpp"

namespace cudaenv::fuzz {
namespace {

constexpr std::size_t longest_line = 16 << 10;

void expect_line(std::string_view line) {
  expect(!line.empty(), "an error has no empty line");
  expect(line.size() < longest_line, "an error repeats a bounded part of its input");
  expect(text::visible(line, longest_line) == line, "an error is made of visible characters");
}

}  // namespace

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

void expect(bool holds, std::string_view property) {
  if (holds) return;
  std::fprintf(stderr, "\nthis does not hold: %s\n", std::string(property).c_str());
  std::abort();
}

void expect_presentable(const Error& error) {
  expect_line(error.message());
  for (const auto& cause : error.causes()) expect_line(cause);
  for (const auto& advice : error.advice()) expect_line(advice);
}

}  // namespace cudaenv::fuzz
