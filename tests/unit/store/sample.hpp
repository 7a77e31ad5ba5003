#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "store/file_list.hpp"
#include "store/layout.hpp"
#include "store/receipt.hpp"
#include "support/temp_dir.hpp"

namespace cudaenv::test {

Version version(const std::string& text);
Digest digest_of(const std::string& text);

// A receipt with a few components, as an install would write it.
store::Receipt sample_receipt(const std::string& name, const std::string& cuda);

// An installed prefix with a receipt and bin/nvcc, whose content is the prefix's name. `folder`
// is the folder's name where it differs from the receipt's.
std::filesystem::path make_prefix(const store::Layout& layout, const std::string& name,
                                  const std::string& cuda, const std::string& folder = {});

// A staged store entry: tree/bin/tool with this content. The list that belongs to it.
std::vector<store::ListedFile> make_staged(const std::filesystem::path& staged,
                                           const std::string& content);

template <typename Step>
Error error_of(Step&& step) {
  try {
    step();
  } catch (const Error& error) {
    return error;
  }
  throw std::string("no error was thrown");
}

// The whole report of an error, as a golden text: message, causes indented, advice.
std::string report(const Error& error);
// The same with a folder's path replaced by "DIR".
std::string report(const Error& error, const std::filesystem::path& folder);

}  // namespace cudaenv::test
