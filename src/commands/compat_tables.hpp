#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commands/host.hpp"
#include "compat/tables.hpp"

namespace cudaenv::commands {

// A file whose rows hold before the built-in ones.
struct TablesFile {
  std::filesystem::path path;
  std::string date;  // that it gives itself
};

// The tables of compatibility as this machine has them, and which files were laid over them.
struct KnownTables {
  compat::Tables tables;
  std::vector<TablesFile> overlays;  // in the order in which they were read
};

// The built-in tables, then those of the site (/etc/cudaenv/compat.d), then what CUDAENV_COMPAT
// names: a file, or a folder whose *.tsv count, sorted by name. Throws Error(missing) where it
// names nothing or a folder without any, and Error(corrupt) that names file and line.
KnownTables known_tables(const Host& host);

// The same without the built-in errors of explain.
KnownTables known_rules(const Host& host);

// The same without the built-in rows that do not speak of frameworks.
KnownTables known_frameworks(const Host& host);

// The same with another folder for the site's tables.
KnownTables known_tables(const Host& host, const std::filesystem::path& site);

}  // namespace cudaenv::commands
