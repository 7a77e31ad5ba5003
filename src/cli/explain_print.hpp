#pragma once

#include <string>

#include "cli/style.hpp"
#include "commands/explain.hpp"

namespace cudaenv::cli {

// Each error: where it stands, its causes, what of them is found here, what to type.
std::string explain_text(const commands::ExplainResult& result, const Style& style);
// docs/json.md has the fields.
std::string explain_json(const commands::ExplainResult& result);

}  // namespace cudaenv::cli
