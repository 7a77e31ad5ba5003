#include "compat/finding.hpp"

#include <algorithm>

namespace cudaenv::compat {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "note";
}

Severity worst(const std::vector<Finding>& findings) {
  Severity result = Severity::note;
  for (const auto& finding : findings) result = std::max(result, finding.severity);
  return result;
}

}  // namespace cudaenv::compat
