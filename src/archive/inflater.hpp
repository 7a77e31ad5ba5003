#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace cudaenv::archive {

// A deflate stream (ISA-L where the build found it, else zlib). Reused for one stream after
// another, because its state is large.
class Inflater {
 public:
  Inflater();
  Inflater(Inflater&&) noexcept;
  ~Inflater();

  void restart();

  // Fills `out` from the front of `in`, which loses what was used. Returns how much was written.
  // False in `sound` for bytes that are no deflate stream.
  struct Step {
    std::size_t written = 0;
    bool ended = false;
    bool sound = true;
  };
  Step run(std::string_view& in, std::span<char> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Goes on from `crc`, which is 0 at first.
std::uint32_t crc32(std::uint32_t crc, std::string_view bytes);

}  // namespace cudaenv::archive
