#include "commands/host.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/choice.hpp"
#include "commands/choose_toolkit.hpp"
#include "store/links.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"

namespace cudaenv::commands {
namespace {

store::Layout user_root(const Host& host) {
  return store::Layout::user(host.environment.xdg("XDG_DATA_HOME", ".local/share") / "cudaenv");
}

std::optional<store::Layout> named_root(const Host& host) {
  const auto named = host.environment.non_empty("CUDAENV_ROOT");
  if (!named) return std::nullopt;
  if (!named->starts_with('/')) {
    throw Error(ErrorKind::usage, fmt::format("CUDAENV_ROOT is `{}`, which is not an absolute path",
                                              text::visible(*named)));
  }
  return store::Layout::user(*named);
}

}  // namespace

store::Layout writing_root(const Host& host, bool system) {
  if (const auto named = named_root(host)) return *named;
  return system || sys::is_root() ? store::Layout::system() : user_root(host);
}

std::vector<store::Layout> reading_roots(const Host& host) {
  std::vector<store::Layout> roots;
  if (const auto named = named_root(host)) {
    roots.push_back(*named);
  } else {
    auto own = user_root(host);
    // Where HOME is another user's, there is nothing of this one.
    if (!sys::is_closed(own.root())) roots.push_back(std::move(own));
  }
  roots.push_back(store::Layout::system());
  return roots;
}

store::InstalledPrefix installed_prefix(const Host& host, const std::string& spec) {
  return Toolkits(host).chosen(spec).prefix;
}

std::optional<std::filesystem::path> default_prefix(const store::Layout& layout) {
  const auto link = layout.default_link();
  if (!sys::is_directory(link)) return std::nullopt;
  return sys::canonical(link);
}

std::optional<Version> newest_for_driver(const std::vector<Version>& candidates, const Host& host) {
  return ToolkitChooser(host).choose(candidates).toolkit;
}

std::string install_advice(const std::string& words) {
  return fmt::format("install it with `cudaenv install {}`", words);
}

}  // namespace cudaenv::commands
