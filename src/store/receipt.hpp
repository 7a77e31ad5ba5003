#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "model/version.hpp"

namespace cudaenv::store {

// One unpacked archive that a prefix is made of.
struct ReceiptComponent {
  std::string name;                   // "cuda_nvcc", "cudnn"
  std::string product;                // "cuda", "cudnn"
  std::string version;                // the component's own
  Digest sha256;                      // of the archive or wheel
  std::uint64_t size = 0;             // bytes of the archive
  std::string url;                    // fit to show
  std::string filter;                 // "all", "no_static", "runtime_only"
  std::string lacks;                  // beside NVIDIA's archive, one line; empty: nothing
  std::uint64_t installed_bytes = 0;  // sum of its files' sizes in the prefix
};

// What the self-test at the end of the installation found.
struct ReceiptProof {
  std::string verdict;              // "passed", "failed", "skipped"
  std::string at;                   // UTC, ISO
  std::vector<std::string> gpus;    // their names
  std::vector<std::string> failed;  // "GPU 0 runtime ptx/load: ..."
};

// What a prefix is made of. Written last; a folder without one is not a prefix of ours.
struct Receipt {
  static constexpr int schema = 1;

  std::string name;          // of the prefix: "cuda-12.1.1"
  Version cuda;              // release
  std::string platform;      // "linux-x86_64"
  std::string profile;       // "minimal", ..., or "custom" where components were named
  std::string source;        // "nvidia", "wheels", or the mirror as it may be shown
  std::string installed_at;  // UTC, ISO
  std::string installed_by;  // "cudaenv 0.1.0"
  std::string eula;          // how it was accepted: "flag", "variable", "terminal", "notice"
  std::vector<ReceiptComponent> components;  // sorted by name
  std::vector<std::string> lacking;          // extras that the source had not
  std::vector<std::string> requested;        // components that were named, for a later change
  std::optional<ReceiptProof> proof;         // nothing: no GPU was there

  const ReceiptComponent* find(std::string_view component) const;
};

std::string write_receipt(const Receipt& receipt);

// Throws Error(corrupt) naming `where` and the place: not JSON, wrong types, missing fields, a
// newer schema ("written by a newer cudaenv").
Receipt read_receipt(std::string_view json, std::string_view where);

// The same without components, lacking and requested, which are most of it: enough to find a
// prefix, in a tenth of the time. What comes behind them in the text is not looked at.
Receipt read_receipt_summary(std::string_view json, std::string_view where);

// The text of the receipt in this folder; nothing where it has no folder .cudaenv.
// Throws Error(corrupt) where the folder is there without a receipt, where one of the two is
// something else, such as a link to anybody's, and where the receipt is too large to be one.
std::optional<std::string> receipt_text(const std::filesystem::path& prefix);

// The receipt of the prefix in this folder; nothing where there is none. Throws as receipt_text
// and read_receipt, with what to do about it.
std::optional<Receipt> receipt_in(const std::filesystem::path& prefix);

// What to type about a folder whose receipt is damaged: nobody but its owner knows what is in it.
std::string damaged_receipt_advice(const std::filesystem::path& prefix);

// <prefix>/.cudaenv/receipt.json and <prefix>/.cudaenv/files.tsv
std::filesystem::path receipt_file(const std::filesystem::path& prefix);
std::filesystem::path file_list_file(const std::filesystem::path& prefix);

}  // namespace cudaenv::store
