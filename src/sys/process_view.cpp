#include "sys/process_view.hpp"

#include <algorithm>
#include <array>
#include <pwd.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/url.hpp"
#include "sys/tree.hpp"

namespace cudaenv::sys {

std::string process_owner(std::uint32_t pid) {
  struct ::stat raw;
  if (::stat(fmt::format("/proc/{}", pid).c_str(), &raw) != 0) return "";
  std::array<char, 4096> buffer;
  passwd entry{};
  passwd* found = nullptr;
  const int code = ::getpwuid_r(raw.st_uid, &entry, buffer.data(), buffer.size(), &found);
  return code == 0 && found ? text::visible(found->pw_name) : std::to_string(raw.st_uid);
}

std::string process_command(std::uint32_t pid) {
  const Tree machine;
  std::string words = machine.read(fmt::format("/proc/{}/cmdline", pid), 4096).value_or("");
  while (!words.empty() && words.back() == '\0') words.pop_back();
  // A process may have overwritten its arguments, or have none, like those of the kernel.
  if (words.empty()) {
    const auto name = machine.read(fmt::format("/proc/{}/comm", pid), 64);
    return name ? text::visible(text::trimmed(*name)) : "";
  }
  const auto end = std::min(words.find('\0'), words.size());
  const auto slash = words.rfind('/', end);
  if (slash != std::string::npos && slash < end) words.erase(0, slash + 1);
  std::replace(words.begin(), words.end(), '\0', ' ');
  return text::visible(without_secrets(words), 200);
}

}  // namespace cudaenv::sys
