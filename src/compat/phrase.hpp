#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compat/flow.hpp"

namespace cudaenv::compat {

// A text that stands in logs, with places for what changes:
//   {number}   digits
//   {version}  digits with dots between
//   {letters}  letters
//   {word}     letters, digits, '_', '.', '+', '-', as few as fit; may be empty
//   {any}      anything, as little as fits, 160 bytes at most
//   {=text}    this text, which is caught too
// Blanks, case and the kind of quotes do not count. One that exists begins with a text.
class Phrase {
 public:
  // Nothing where it does not begin with three bytes of text, or ends with a place that may be
  // empty.
  static std::optional<Phrase> parse(std::string_view text);

  // The text that it begins with, as a Flow has it, in lower case.
  const std::string& beginning() const { return beginning_; }
  bool has_number() const;

  struct Match {
    std::size_t end;                  // in the flow
    std::vector<std::string> caught;  // place by place
  };
  // Where it stands at `at`.
  std::optional<Match> match(const Flow& flow, std::size_t at) const;

  // No match is longer than this, in bytes of a flow.
  static constexpr std::size_t longest = 1200;

 private:
  enum class Kind { text, caught_text, number, version, letters, word, any };
  struct Part {
    Kind kind;
    std::string text;
  };
  bool match_from(const Flow& flow, std::size_t at, std::size_t part, Match& match) const;
  bool match_lazily(const Flow& flow, std::size_t at, std::size_t part, Match& match) const;
  static std::optional<Kind> kind_of(std::string_view word);

  std::vector<Part> parts_;
  std::string beginning_;
};

}  // namespace cudaenv::compat
