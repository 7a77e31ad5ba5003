#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/style.hpp"
#include "commands/bench.hpp"

namespace cudaenv::cli {

// Medians of an earlier run: "0 latency host to device, pinned, 4 B" -> microseconds.
using EarlierFigures = std::map<std::string, double>;

// From what `bench --json` printed. Throws Error(corrupt) that names `where`.
EarlierFigures read_figures(std::string_view json, std::string_view where);

// Sources as they are first named, counted from 1.
class SourceList {
 public:
  int number(const std::string& source);
  const std::vector<std::string>& all() const { return sources_; }

 private:
  std::vector<std::string> sources_;
};

// With four digits that count, never with an exponent above 1: "3.705", "12345".
std::string shown_figure(double value);
// "87 % of 4917"; empty where the peak is not known.
std::string peak_share(const gpu::Figure& figure);
// "0.98 of 54.2": how it stands to an earlier run's; empty where that has no such figure.
std::string earlier_share(const gpu::Figure& figure, int gpu, const EarlierFigures& earlier);
// "0.89 of 4800 [1], 1.00 of 4264 [2]"; empty where nothing is known of the board.
std::string baseline_text(const commands::MeasuredGpu& gpu, const gpu::Figure& figure,
                          SourceList& sources);

std::string bench_json(const commands::BenchResult& result);
// A table; beside each figure how it stands to the earlier one and to what is known of the board,
// with the sources below.
std::string bench_text(const commands::BenchResult& result, const EarlierFigures& earlier,
                       const Style& style);
// One page with charts, which needs nothing else.
std::string bench_html(const commands::BenchResult& result, const EarlierFigures& earlier);

}  // namespace cudaenv::cli
