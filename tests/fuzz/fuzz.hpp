#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"

// libFuzzer calls this with any bytes. A harness judges what the product makes of them: it ends
// the process where a property does not hold, or where something else than an Error is thrown.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace cudaenv::fuzz {

std::string_view text_of(const std::uint8_t* data, std::size_t size);

// Ends the process where it does not hold; `property` says what should.
void expect(bool holds, std::string_view property);

// Expects that an error can be shown: no empty line, no control character, no endless one.
void expect_presentable(const Error& error);

// What `step` returns, or nothing where it refuses its input with a presentable Error.
template <typename Step>
auto result_of(Step&& step) -> std::optional<decltype(step())> {
  try {
    return std::forward<Step>(step)();
  } catch (const Error& error) {
    expect_presentable(error);
    return std::nullopt;
  }
}

}  // namespace cudaenv::fuzz
