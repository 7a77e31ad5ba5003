// Writes the files under manifests/redist: run by whoever adds a release to the project.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "catalog/index.hpp"
#include "catalog/manifest.hpp"
#include "sys/file.hpp"

namespace cudaenv {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view usage =
    "usage: cudaenv-index OUT_DIR PRODUCT redistrib_VERSION.json...\n"
    "       cudaenv-index --digests OUT_FILE TABLE.tsv\n"
    "The first form writes OUT_DIR/PRODUCT/VERSION.tsv for each of NVIDIA's manifests. The second\n"
    "takes a table with the columns product, version, URL path and SHA-256, and keeps the rows of\n"
    "NVIDIA's own manifests as product, version and SHA-256.\n";

void index_manifest(const fs::path& folder, const std::string& product, const fs::path& file) {
  const std::string name = file.filename().string();
  const auto version = catalog::manifest_version(name);
  if (!version) throw Error(ErrorKind::usage, fmt::format("{} is no redistrib_*.json", name));

  const Release release =
      catalog::parse_manifest(sys::read_file(file), product, *version, file.string());
  const std::string text = catalog::write_index_text(release);
  const fs::path target = folder / product / (version->text() + ".tsv");
  if (catalog::read_index_text(text, target.string()) != release) {
    throw Error(ErrorKind::corrupt, fmt::format("{} does not survive being written", name));
  }
  sys::create_directories(target.parent_path());
  sys::write_atomically(target, text);
}

// The version in the path counts, not the column: a table may call 11.8.0 "11.8".
void keep_digests(const fs::path& target, const fs::path& table) {
  std::map<std::pair<std::string, Version>, std::string> rows;
  const std::string content = sys::read_file(table);
  for (const auto line : text::lines(content)) {
    const auto fields = text::split(line, '\t');
    if (fields.size() != 4) throw Error(ErrorKind::corrupt, "a row without four columns");
    const std::string_view path = fields[2];
    const auto version = catalog::manifest_version(path.substr(path.rfind('/') + 1));
    const std::string product(fields[0]);
    if (!version || !path.starts_with("compute/" + product + "/redist/")) continue;
    const auto digest = Digest::from_hex(fields[3]);
    if (!digest) throw Error(ErrorKind::corrupt, fmt::format("{} has no SHA-256", path));
    rows[{product, *version}] =
        fmt::format("{}\t{}\t{}\n", product, version->text(), digest->hex());
  }
  std::string text;
  for (const auto& [key, row] : rows) text += row;
  sys::create_directories(target.parent_path());
  sys::write_atomically(target, text);
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) {
    std::fwrite(usage.data(), 1, usage.size(), stderr);
    return 2;
  }
  if (arguments[0] == "--digests") {
    keep_digests(arguments[1], arguments[2]);
    return 0;
  }
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    index_manifest(arguments[0], arguments[1], arguments[i]);
  }
  return 0;
}

}  // namespace
}  // namespace cudaenv

int main(int argc, char** argv) {
  try {
    return cudaenv::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
