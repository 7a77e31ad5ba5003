#include "commands/compat_tables.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace cudaenv::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* site_folder = "/etc/cudaenv/compat.d";
// The built-in tables are a tenth of it.
constexpr std::uint64_t largest_table = 4u << 20;

void lay_file(KnownTables& known, const fs::path& file) {
  const auto text = sys::read_file(file, largest_table);
  known.overlays.push_back({file, compat::overlay(known.tables, text, file.string())});
}

void lay_folder(KnownTables& known, const fs::path& folder) {
  for (const auto& name : sys::list(folder)) {
    if (!name.starts_with('.') && name.ends_with(".tsv")) lay_file(known, folder / name);
  }
}

KnownTables with_overlays(const compat::Tables& builtin, const Host& host, const fs::path& site) {
  KnownTables known{builtin, {}};
  lay_folder(known, site);
  const auto named = host.environment.non_empty("CUDAENV_COMPAT");
  if (!named) return known;
  if (sys::is_directory(*named)) {
    const auto before = known.overlays.size();
    lay_folder(known, *named);
    if (known.overlays.size() == before) {
      throw Error(ErrorKind::missing, fmt::format("CUDAENV_COMPAT names the folder `{}`, which has "
                                                  "no table",
                                                  text::visible(*named)))
          .help("the names of tables end with .tsv; put one there, or unset it");
    }
  } else if (sys::exists(*named)) {
    lay_file(known, *named);
  } else {
    throw Error(ErrorKind::missing,
                fmt::format("CUDAENV_COMPAT names `{}`, where nothing is", text::visible(*named)))
        .help("name a table or a folder of them, or unset it");
  }
  return known;
}

}  // namespace

KnownTables known_tables(const Host& host) { return known_tables(host, site_folder); }

KnownTables known_tables(const Host& host, const fs::path& site) {
  return with_overlays(compat::builtin_tables(), host, site);
}

KnownTables known_rules(const Host& host) {
  return with_overlays(compat::builtin_rules(), host, site_folder);
}

KnownTables known_frameworks(const Host& host) {
  return with_overlays(compat::builtin_frameworks(), host, site_folder);
}

}  // namespace cudaenv::commands
