#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/release.hpp"

namespace cudaenv::catalog {

// Reads one of NVIDIA's redistrib_<version>.json, input from a stranger. `where` names it in
// messages (a URL or file). The version and product are the caller's knowledge (file name and
// folder), because older manifests have neither; a release_label that says another version is
// refused. Unknown keys and platforms are ignored; every archive must have a safe relative path,
// a SHA-256 and a size. Throws Error(corrupt) that names `where` and the place in it
// ("cuda_nvcc.linux-x86_64.sha256").
Release parse_manifest(std::string_view json, std::string_view product, const Version& version,
                       std::string_view where);

// The version in "redistrib_12.1.1.json"; nothing for other names.
std::optional<Version> manifest_version(std::string_view file_name);

// The versions that a folder offers: from an HTML directory listing's links, or from the
// index.json that our mirrors carry ({"releases": {"cuda": ["12.1.1", ...]}}). Sorted, distinct.
// A page without a single manifest is Error(corrupt) (some proxy's, most likely); an index.json
// without this product is an answer: empty.
std::vector<Version> parse_listing(std::string_view body, std::string_view product,
                                   std::string_view where);

}  // namespace cudaenv::catalog
