#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudaenv::compat {

// In ascending order, so that the worst of several is the greatest.
enum class Severity { note, warning, error };

// "note", "warning", "error".
std::string_view name_of(Severity severity);

// What a rule found out. Texts are one line each, in lower case, without a full stop.
struct Finding {
  std::string id;                 // stable, "driver.too-old": what scripts match on
  Severity severity;              // error: it will not work
  std::string seen;               // what is the case
  std::vector<std::string> why;   // the reason chain: figures and where they come from, in order
  std::vector<std::string> help;  // what to type or do; empty where nothing needs doing

  bool operator==(const Finding&) const = default;
};

// The greatest severity; note for none.
Severity worst(const std::vector<Finding>& findings);

}  // namespace cudaenv::compat
