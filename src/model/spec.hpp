#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/version.hpp"

namespace cudaenv {

// One comparison of a range: ">=12.1", "<13".
struct Bound {
  enum class Relation { less, less_equal, equal, not_equal, greater_equal, greater };
  Relation relation;
  Version version;

  // Compared on as many numbers as the bound has, so that 12.1.1 satisfies "<=12.1" and "==12.1",
  // and 13.0.0 does not satisfy "<13".
  bool accepts(const Version& version) const;
};

// What a user typed to name a toolkit. One that exists is well formed.
class Spec {
 public:
  struct Latest {};  // latest
  struct Auto {};    // auto: the newest that the driver takes
  struct System {};  // system: what is there without cudaenv
  struct Partial {
    Version version;
  };  // 12, 12.1, 12.1.1: the newest that begins so
  struct Range {
    std::vector<Bound> bounds;
  };  // >=12.1,<13
  struct Name {
    std::string name;
  };  // a prefix's name: 11.8-cudnn89
  using Value = std::variant<Latest, Auto, System, Partial, Range, Name>;

  // Reads what people type: surrounding blanks and CR are dropped; "v12", "cuda-12.1", "cuda12.1",
  // "CUDA 12.1" and "12.1.x" mean the version. Throws Error(usage) that shows the text and says
  // why: empty, a number with leading zeros (12.08 is not 12.8), control characters, a path, an
  // option, or characters that no prefix may have.
  static Spec parse(std::string_view text);

  const Value& value() const { return value_; }
  // As it was typed, without the surrounding blanks: for messages.
  const std::string& text() const { return text_; }

  // Whether a release could be meant by this spec, by its version alone. Latest, Auto and System
  // accept any; a Name accepts none.
  bool accepts(const Version& version) const;

 private:
  Spec(std::string text, Value value) : text_(std::move(text)), value_(std::move(value)) {}
  std::string text_;
  Value value_;
};

// Whether a prefix may be called so: letters, digits, '.', '_', '+', '-', beginning with a letter
// or digit, at most 100 characters, and not a word that specs give another meaning.
bool is_prefix_name(std::string_view name);

}  // namespace cudaenv
