#include "support/mirror_server_content.hpp"

#include <fcntl.h>
#include <functional>
#include <set>
#include <sys/stat.h>

#include <fmt/format.h>

#include "support/http_message.hpp"

namespace cudaenv::test {
namespace {

namespace fs = std::filesystem;

std::optional<MirrorContent> open_file(const fs::path& path) {
  MirrorContent content;
  content.file = sys::Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct ::stat info {};
  if (!content.file || ::fstat(content.file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::nullopt;
  }
  content.size = static_cast<std::uint64_t>(info.st_size);
  content.etag =
      fmt::format("\"{:x}-{:x}-{:x}\"", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  content.last_modified = http_date(info.st_mtim.tv_sec);
  return content;
}

std::set<std::string> names_in(const std::string& folder, const MirrorFiles& files,
                               const fs::path& root) {
  std::set<std::string> names;
  for (const auto& [path, bytes] : files) {
    if (!path.starts_with(folder)) continue;
    const std::string rest = path.substr(folder.size());
    const auto slash = rest.find('/');
    names.insert(slash == std::string::npos ? rest : rest.substr(0, slash + 1));
  }
  std::error_code ignored;
  if (!root.empty()) {
    for (const auto& entry : fs::directory_iterator(root / folder.substr(1), ignored)) {
      names.insert(entry.path().filename().string() + (entry.is_directory() ? "/" : ""));
    }
  }
  names.erase("");
  return names;
}

std::string listing(const std::string& folder, const std::set<std::string>& names) {
  std::string rows;
  for (const auto& name : names) {
    rows += fmt::format("<a href=\"{0}\">{0}</a>  2024-05-01 10:00  -\n", name);
  }
  return fmt::format(
      "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">\n<html>\n<head><title>Index of "
      "{0}</title></head>\n<body>\n<h1>Index of {0}</h1>\n<pre><a href=\"../\">Parent "
      "Directory</a>\n{1}</pre>\n</body></html>\n",
      folder, rows);
}

}  // namespace

MirrorContent memory_content(std::shared_ptr<const std::string> bytes) {
  MirrorContent content;
  content.size = bytes->size();
  content.etag = fmt::format("\"{:x}\"", std::hash<std::string>{}(*bytes));
  content.last_modified =
      http_date(1'700'000'000 + static_cast<std::int64_t>(bytes->size() % 1000));
  content.memory = std::move(bytes);
  return content;
}

std::optional<MirrorContent> find_content(const std::string& path, const MirrorFiles& files,
                                          const fs::path& root) {
  const auto found = files.find(path);
  if (found != files.end()) return memory_content(found->second);
  if (path.find("/../") != std::string::npos || path.ends_with("/..")) return std::nullopt;
  if (path.ends_with('/')) {
    if (auto page = root.empty() ? std::nullopt : open_file(root / path.substr(1) / "index.html")) {
      page->type = "text/html;charset=UTF-8";
      return page;
    }
    const auto names = names_in(path, files, root);
    if (names.empty()) return std::nullopt;
    auto content = memory_content(std::make_shared<std::string>(listing(path, names)));
    content.type = "text/html;charset=UTF-8";
    return content;
  }
  if (root.empty()) return std::nullopt;
  return open_file(root / path.substr(1));
}

bool is_folder(const std::string& path, const MirrorFiles& files, const fs::path& root) {
  return !path.ends_with('/') && !files.contains(path) &&
         !names_in(path + "/", files, root).empty();
}

}  // namespace cudaenv::test
