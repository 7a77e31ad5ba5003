#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "archive/unpack.hpp"
#include "sys/fd.hpp"

namespace cudaenv::fuzz {

// An archive in memory and the folder that it is unpacked into. Small limits, so that an input
// costs a millisecond.
class Unpacking {
 public:
  explicit Unpacking(std::string_view archive);
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;
  ~Unpacking();

  const std::filesystem::path& archive() const { return archive_; }
  archive::WheelRequest request() const;

  // Empties the folder for the next attempt.
  void clear() const;

  // Expects of a folder after an archive was refused, too: plain files, folders and links that
  // stay inside are all there is, and nothing is beside it.
  void expect_harmless() const;
  // Expects besides that the entries say what is in the folder.
  void expect_as_told(const std::vector<archive::Entry>& entries) const;

 private:
  sys::Fd memory_;
  std::filesystem::path archive_;
  std::filesystem::path outer_;
  std::filesystem::path tree_;
};

}  // namespace cudaenv::fuzz
