#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudaenv::compat {

// Finds the beginnings of many phrases in one pass over a text, whatever its length (Aho and
// Corasick's machine over lower-case bytes).
class PhraseFinder {
 public:
  // Of each word the first 16 bytes count; they are in lower case, and none is empty.
  explicit PhraseFinder(const std::vector<std::string>& words);

  using State = std::uint32_t;
  static constexpr State start = 0;

  // Where the machine is after a byte.
  State next(State state, char byte) const {
    return moves_[state * classes_ + class_of_[static_cast<unsigned char>(byte)]];
  }
  struct Hit {
    std::uint32_t word;    // its place in the list
    std::uint32_t length;  // of it, up to and with the last byte
  };
  // The words that end in this state.
  const std::vector<Hit>& hits(State state) const { return hits_[state]; }

 private:
  void add(std::string_view word, std::uint32_t number);
  void complete();

  std::array<std::uint8_t, 256> class_of_{};
  std::size_t classes_ = 1;  // 0: bytes that are in no word
  std::vector<State> moves_;
  std::vector<std::vector<Hit>> hits_;
};

}  // namespace cudaenv::compat
