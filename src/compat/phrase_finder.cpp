#include "compat/phrase_finder.hpp"

#include <algorithm>

#include "compat/flow.hpp"

namespace cudaenv::compat {
namespace {

constexpr std::size_t most_bytes = 16;

}  // namespace

PhraseFinder::PhraseFinder(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    for (const char c : std::string_view(word).substr(0, most_bytes)) {
      auto& known = class_of_[static_cast<unsigned char>(c)];
      if (known == 0) known = static_cast<std::uint8_t>(classes_++);
    }
  }
  for (int c = 'A'; c <= 'Z'; ++c) {
    class_of_[static_cast<std::size_t>(c)] =
        class_of_[static_cast<unsigned char>(folded(static_cast<char>(c)))];
  }
  moves_.assign(classes_, 0);
  hits_.resize(1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    add(std::string_view(words[i]).substr(0, most_bytes), static_cast<std::uint32_t>(i));
  }
  complete();
}

void PhraseFinder::add(std::string_view word, std::uint32_t number) {
  State state = start;
  for (const char c : word) {
    const std::size_t move = state * classes_ + class_of_[static_cast<unsigned char>(c)];
    if (moves_[move] == start) {
      moves_[move] = static_cast<State>(hits_.size());
      hits_.emplace_back();
      moves_.resize(moves_.size() + classes_, start);
    }
    state = moves_[move];
  }
  hits_[state].push_back({number, static_cast<std::uint32_t>(word.size())});
}

// Breadth first: a state without a way on for a byte goes where its longest proper end would.
void PhraseFinder::complete() {
  std::vector<State> fallback(hits_.size(), start);
  std::vector<State> queue;
  for (std::size_t c = 0; c < classes_; ++c) {
    if (moves_[c] != start) queue.push_back(moves_[c]);
  }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const State state = queue[head];
    for (std::size_t c = 0; c < classes_; ++c) {
      State& target = moves_[state * classes_ + c];
      const State other = moves_[fallback[state] * classes_ + c];
      if (target == start) {
        target = other;
        continue;
      }
      fallback[target] = other;
      hits_[target].insert(hits_[target].end(), hits_[other].begin(), hits_[other].end());
      queue.push_back(target);
    }
  }
}

}  // namespace cudaenv::compat
