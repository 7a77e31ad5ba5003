#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "archive/zip_file.hpp"
#include "base/digest.hpp"

namespace cudaenv::archive {

// What a wheel says about one of its files.
struct Recorded {
  Digest sha256;
  std::uint64_t size = 0;
};
using Record = std::unordered_map<std::string, Recorded>;

// The name of the wheel's one RECORD; Error(corrupt) where there is none, or several.
const ZipMember& find_record(const std::vector<ZipMember>& members);

// The rows of a RECORD. Every member must be listed with a SHA-256 and its size, and every listed
// file be a member, but for RECORD itself and its signatures; else Error(corrupt).
Record read_record(std::string_view text, const ZipMember& record,
                   const std::vector<ZipMember>& members);

}  // namespace cudaenv::archive
