#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/style.hpp"
#include "compat/finding.hpp"

namespace cudaenv::cli {

// Findings as people read them, the gravest first; empty for none:
//   warning: what was seen [id]
//     why
//   help: what to type
std::string findings_text(const std::vector<compat::Finding>& findings, const Style& style);

// An array of objects with id, severity, seen, why and help, in their order.
nlohmann::ordered_json findings_json(const std::vector<compat::Finding>& findings);

}  // namespace cudaenv::cli
