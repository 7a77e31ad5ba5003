#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudaenv::activate {

// What a change did to an environment, as far as needed to undo it.
struct Record {
  struct Variable {
    std::string name;
    std::optional<std::string> before;  // nothing: it was unset
    std::string set;
    bool operator==(const Variable&) const = default;
  };
  struct Added {
    std::string value;
    std::size_t had = 0;  // how many elements like it the list had before
    bool operator==(const Added&) const = default;
  };
  struct List {
    std::string name;
    bool was_set = false;
    std::vector<Added> entries;
    bool operator==(const List&) const = default;
  };

  std::vector<Variable> variables;
  std::vector<List> lists;
  bool operator==(const Record&) const = default;
};

// As the value of a variable: any bytes become letters, digits and `%+,-./:_`, which no shell
// takes for anything else.
std::string encoded(const Record& record);

// Nothing where the text is none of ours, or names what cannot be a variable.
std::optional<Record> decoded(std::string_view text);

}  // namespace cudaenv::activate
