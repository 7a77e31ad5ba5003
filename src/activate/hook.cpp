#include "activate/hook.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv::activate {
namespace {

// More than anyone is told in one shell; the oldest are forgotten.
constexpr std::size_t most_said = 50;

constexpr std::array<std::string_view, 3> seen_words{"n", "p", "m"};

bool is_fingerprint(std::string_view text) {
  return !text.empty() && text.size() <= 16 && std::all_of(text.begin(), text.end(), [](char c) {
    return text::is_digit(c) || (c >= 'a' && c <= 'f');
  });
}

std::string fingerprint_or_none(std::string_view text) {
  return is_fingerprint(text) ? std::string(text) : "";
}

}  // namespace

std::string fingerprint(std::string_view text) {
  // FNV-1a: it tells apart what one user meets in one shell; nothing depends on more.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return fmt::format("{:016x}", hash);
}

bool is_news(HookState& state, std::string_view line) {
  auto mark = fingerprint(line);
  if (std::find(state.said.begin(), state.said.end(), mark) != state.said.end()) return false;
  state.said.push_back(std::move(mark));
  return true;
}

std::string encoded(const HookState& state) {
  const std::size_t skipped = state.said.size() - std::min(state.said.size(), most_said);
  const std::vector<std::string> said(state.said.begin() + static_cast<std::ptrdiff_t>(skipped),
                                      state.said.end());
  return fmt::format("{}.{}.{}.{}", seen_words.at(static_cast<std::size_t>(state.seen)),
                     state.applied, state.off, text::join(said, ","));
}

HookState decoded_state(std::string_view text) {
  const auto parts = text::split(text, '.');
  if (parts.size() != 4) return {};
  HookState state;
  const auto seen = std::find(seen_words.begin(), seen_words.end(), parts[0]);
  if (seen == seen_words.end()) return {};
  state.seen = static_cast<HookState::Seen>(seen - seen_words.begin());
  state.applied = fingerprint_or_none(parts[1]);
  state.off = fingerprint_or_none(parts[2]);
  for (const auto word : text::split(parts[3], ',')) {
    if (is_fingerprint(word)) state.said.emplace_back(word);
  }
  return state;
}

}  // namespace cudaenv::activate
