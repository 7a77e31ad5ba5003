#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/compat_tables.hpp"
#include "compat/framework.hpp"

namespace cudaenv::commands {

struct CompatRequest {
  std::string by;         // "framework", "cuda", "driver", "gpu", "board", "all"; or by the rest
  std::string framework;  // as typed: "pytorch", "pytorch==2.1"; empty: none
  std::string cuda;       // a release or its first numbers, "12.4"
  std::string driver;     // "535.104.05"
  std::vector<std::string> gpus;  // names or compute capabilities
  std::string cudnn;
  std::string python;
};

// One view of what works with what: a table with named columns.
struct Matrix {
  struct Column {
    std::string id;       // in JSON
    std::string heading;  // for people
  };
  struct Row {
    std::vector<std::string> cells;  // as many as columns; empty: not known
    std::string source;
  };
  std::string id;  // "cuda"
  std::string title;
  std::vector<Column> columns;
  std::vector<Row> rows;
};

struct CompatResult {
  std::string date;                  // of the tables
  std::string builtin_date;          // of those that are built in
  std::vector<TablesFile> overlays;  // laid over them
  std::vector<Matrix> matrices;
  bool judged = false;                    // enough was given for a verdict
  std::vector<compat::Finding> findings;  // what speaks against it, or should be known
  std::string framework_line;             // what to type to install the framework; empty: none
  std::optional<bool> toolkit_needed;     // nothing where no framework was named
};

// Reads tables, nothing of the machine. Throws Error(usage) for words that mean nothing.
CompatResult show_compat(const CompatRequest& request, const Host& host);

}  // namespace cudaenv::commands
