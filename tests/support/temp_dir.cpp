#include "support/temp_dir.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace cudaenv::test {

namespace fs = std::filesystem;

namespace {

std::string file_content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

}  // namespace

std::atomic<bool>& case_failed() {
  static std::atomic<bool> failed{false};
  return failed;
}

TempDir::TempDir() {
  const char* base = std::getenv("TMPDIR");
  std::string name = std::string(base && *base ? base : "/tmp") + "/cudaenv-test.XXXXXX";
  if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp " + name);
  path_ = fs::canonical(name);
}

TempDir::~TempDir() {
  if (case_failed()) {
    std::fprintf(stderr, "the files of the failed test are in %s\n", path_.c_str());
    return;
  }
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(path_, ignored), end; it != end;) {
    if (it->is_directory(ignored) && !it->is_symlink(ignored)) {
      fs::permissions(it->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    }
    it.increment(ignored);
    if (ignored) break;
  }
  fs::remove_all(path_, ignored);
}

fs::path TempDir::make_dir(std::string_view name) const {
  fs::create_directories(path_ / name);
  return path_ / name;
}

fs::path TempDir::make_file(std::string_view name, std::string_view content) const {
  const fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
  return file;
}

std::string TempDir::read(std::string_view name) const { return file_content(path_ / name); }

std::set<std::string> TempDir::entries(std::string_view folder) const {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_ / folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

std::string snapshot(const fs::path& root) {
  std::map<std::string, std::string> rows;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = entry.path().lexically_relative(root).string();
    const auto mode = static_cast<unsigned>(entry.symlink_status().permissions()) & 07777u;
    if (entry.is_symlink()) {
      rows[name] = fmt::format("link {} -> {}", name, fs::read_symlink(entry.path()).string());
    } else if (entry.is_directory()) {
      rows[name] = fmt::format("dir {:04o} {}", mode, name);
    } else {
      const std::string content = file_content(entry.path());
      rows[name] = fmt::format("file {:04o} {} {} {:x}", mode, name, content.size(),
                               std::hash<std::string>{}(content));
    }
  }
  std::string text;
  for (const auto& [name, row] : rows) text += row + "\n";
  return text;
}

}  // namespace cudaenv::test
