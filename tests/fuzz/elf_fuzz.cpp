// Shared libraries and the loader's cache, read without loading anything.
#include "doctor/loader_facts.hpp"
#include "fuzz/fuzz.hpp"
#include "sys/elf.hpp"
#include "sys/loader_cache.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;

constexpr std::size_t most_read = 64u << 20;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  std::size_t asked = 0;
  const sys::ReadAt read = [&](std::uint64_t offset, std::size_t count) {
    asked += count;
    return offset < input.size() ? std::string(input.substr(offset, count)) : std::string();
  };
  const auto library = sys::shared_library(read);
  expect(asked < most_read, "a library is not read whole");
  if (library) expect(library->needed.size() <= 256, "what is needed is bounded");
  static_cast<void>(
      sys::symbol_constant(read, [](std::string_view name) { return name.ends_with("_version"); }));
  for (const auto& cached : sys::loader_cache(input)) {
    expect(cached.name.find('\0') == std::string::npos, "a name ends at its end");
    static_cast<void>(doctor::is_nvidia_library(cached.name));
    static_cast<void>(doctor::soname_major(cached.name));
  }
  return 0;
}
