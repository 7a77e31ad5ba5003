#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "model/release.hpp"

namespace cudaenv::catalog {

// The releases that are compiled into the program. Nothing is parsed before it is asked for:
// versions() reads names only, load() reads one release's text.

// Products with at least one known release: "cuda", "cudnn", ...
std::vector<std::string> products();

// Known versions of a product, ascending; empty for an unknown product.
std::vector<Version> versions(std::string_view product);

// A known release, or nothing.
std::optional<Release> load(std::string_view product, const Version& version);

// The SHA-256 of NVIDIA's own manifest file, where it is known.
std::optional<Digest> manifest_digest(std::string_view product, const Version& version);

// Our compact text form of a release (manifests/README.md describes it), written and read back.
// read_index_text throws Error(corrupt) that names `where` and the line.
std::string write_index_text(const Release& release);
Release read_index_text(std::string_view text, std::string_view where);

}  // namespace cudaenv::catalog
