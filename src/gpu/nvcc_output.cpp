#include "gpu/nvcc_output.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "gpu/checks.hpp"

namespace cudaenv::gpu {
namespace {

constexpr std::size_t longest_line = 300;

// Words that tell who refused, in the order in which they count.
constexpr std::array<std::pair<std::string_view, Layer>, 14> signs{{
    {"unsupported GNU version", Layer::host_compiler},
    {"unsupported clang version", Layer::host_compiler},
    {"unsupported HOS clang version", Layer::host_compiler},
    {"unsupported compiler", Layer::host_compiler},
    {"exception specification is incompatible", Layer::host_compiler},
    {"Failed to preprocess host compiler properties", Layer::host_compiler},
    {"Failed to find the host compiler", Layer::host_compiler},
    {"cc1plus", Layer::host_compiler},
    {"gcc: not found", Layer::host_compiler},
    {"g++: not found", Layer::host_compiler},
    {"gcc: No such file", Layer::host_compiler},
    {"Unsupported gpu architecture", Layer::no_image},
    {"is not defined for option 'gpu-architecture'", Layer::no_image},
    {"is not defined for option 'gpu-code'", Layer::no_image},
}};

std::string line_with(std::string_view output, std::string_view word) {
  for (const auto line : text::lines(output)) {
    if (line.find(word) != std::string_view::npos) {
      return text::visible(text::trimmed(line), longest_line);
    }
  }
  return "";
}

std::string last_line(std::string_view output) {
  const auto trimmed = text::trimmed(output);
  if (trimmed.empty()) return "";
  return text::visible(text::lines(trimmed).back(), longest_line);
}

}  // namespace

std::string nvcc_release(std::string_view output) {
  constexpr std::string_view word = "release ";
  const auto start = output.find(word);
  if (start == std::string_view::npos) return last_line(output);
  auto rest = output.substr(start + word.size());
  return fmt::format("CUDA {}", text::visible(text::take_line(rest), 60));
}

std::vector<int> nvcc_chips(std::string_view output) {
  constexpr std::string_view word = "compute_";
  std::vector<int> chips;
  for (const auto raw : text::lines(output)) {
    const auto line = text::trimmed(raw);
    if (!line.starts_with(word)) continue;
    const auto number = text::parse_unsigned(line.substr(word.size()));
    if (number && *number < 1000) chips.push_back(static_cast<int>(*number));
  }
  std::sort(chips.begin(), chips.end());
  return chips;
}

Failure nvcc_failure(std::string_view output) {
  for (const auto& [word, layer] : signs) {
    if (output.find(word) != std::string_view::npos) {
      return {layer, 0, "", line_with(output, word)};
    }
  }
  std::string line = line_with(output, "error");
  if (line.empty()) line = line_with(output, "fatal");
  if (line.empty()) line = last_line(output);
  return {Layer::compiler, 0, "", line.empty() ? "nvcc fails and does not say why" : line};
}

Failure program_failure(std::string_view out, std::string_view err) {
  for (const auto line : text::lines(out)) {
    const auto fields = text::split(line, '\t');
    if (fields.size() == 4 && fields[0] == "cuda") {
      const auto code = static_cast<int>(text::parse_unsigned(fields[1]).value_or(999));
      return {layer_of_cuda_error(code), code, text::visible(fields[2], 100),
              text::visible(fields[3], longest_line)};
    }
    if (fields.size() == 2 && fields[0] == "wrong") {
      return {Layer::wrong_result, 0, "", text::visible(fields[1], longest_line)};
    }
  }
  const std::string words = last_line(err.empty() ? out : err);
  return {Layer::crash, 0, "", words.empty() ? "the program fails and does not say why" : words};
}

void throw_unless_ended(const sys::Outcome& outcome, const std::string& program,
                        std::chrono::milliseconds limit) {
  if (outcome.timed_out) {
    throw CheckFailed({Layer::hang, 0, "",
                       fmt::format("`{}` has not ended within {:.3g} s", program,
                                   static_cast<double>(limit.count()) / 1000)});
  }
  if (outcome.signal == 0) return;
  const char* name = ::sigabbrev_np(outcome.signal);
  throw CheckFailed({Layer::crash, outcome.signal, name ? fmt::format("SIG{}", name) : "",
                     fmt::format("`{}` was killed by signal {}", program, outcome.signal)});
}

}  // namespace cudaenv::gpu
