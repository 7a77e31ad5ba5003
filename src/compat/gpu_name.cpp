#include "compat/gpu_name.hpp"

#include "base/text.hpp"

namespace cudaenv::compat {

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : text::lower(name)) {
    if (text::is_alphanumeric(c)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::vector<std::string> telling_words(std::string_view name) {
  auto words = words_of(name);
  std::erase_if(words, [](const std::string& word) {
    return word == "nvidia" || word == "tesla" || word == "geforce";
  });
  return words;
}

}  // namespace cudaenv::compat
