#pragma once

#include <map>
#include <string>
#include <string_view>

#include "cli/style.hpp"
#include "commands/bench.hpp"

namespace cudaenv::cli {

// Medians of an earlier run: "0 latency host to device, pinned, 4 B" -> microseconds.
using EarlierFigures = std::map<std::string, double>;

// From what `bench --json` printed. Throws Error(corrupt) that names `where`.
EarlierFigures read_figures(std::string_view json, std::string_view where);

std::string bench_json(const commands::BenchResult& result);
// A table for each group; beside each figure, where there is one, the earlier one's ratio.
std::string bench_text(const commands::BenchResult& result, const EarlierFigures& earlier,
                       const Style& style);
// One page with charts, which needs nothing else.
std::string bench_html(const commands::BenchResult& result);

}  // namespace cudaenv::cli
