#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/style.hpp"
#include "commands/diagnose.hpp"

namespace cudaenv::cli {

// What `cudaenv diagnose` found out, for people.
std::string diagnose_text(const commands::DiagnoseResult& result, const Style& style);

// docs/json.md has the fields.
nlohmann::ordered_json diagnose_json(const commands::DiagnoseResult& result);

// A page that needs nothing else: findings, and the run as charts over time.
std::string diagnose_html(const commands::DiagnoseResult& result);

// "63.0 s in 126 looks, GPU 0": what the findings rest on.
std::string watched_text(const commands::DiagnoseResult& result);

}  // namespace cudaenv::cli
