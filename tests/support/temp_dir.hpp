#pragma once

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace cudaenv::test {

// Whether an assertion of the running test case has failed; any thread may have done so.
std::atomic<bool>& case_failed();

// A folder of one test case's own. Removed at the end, kept (and named on stderr) when the case
// failed.
class TempDir {
 public:
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  // Creates it with parents; returns its path.
  std::filesystem::path make_dir(std::string_view name) const;
  std::filesystem::path make_file(std::string_view name, std::string_view content = "") const;
  std::string read(std::string_view name) const;

  // The names directly in it.
  std::set<std::string> entries(std::string_view folder = ".") const;

 private:
  std::filesystem::path path_;
};

// Everything below a folder as text, one line an entry: kind, mode, path, and content or target.
// Two trees are equal when their snapshots are.
std::string snapshot(const std::filesystem::path& root);

}  // namespace cudaenv::test
