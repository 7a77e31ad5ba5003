#include "commands/set_default.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/wait.hpp"
#include "store/links.hpp"
#include "sys/file.hpp"

namespace cudaenv::commands {
namespace {

// The first root, in reading order, that has a default.
DefaultResult tell(const Host& host) {
  for (const auto& root : reading_roots(host)) {
    if (const auto prefix = default_prefix(root)) return {root.default_link(), prefix, prefix};
  }
  return {writing_root(host, false).default_link(), std::nullopt, std::nullopt};
}

}  // namespace

DefaultResult set_default(const DefaultRequest& request, const Host& host) {
  if (request.spec.empty() && !request.unset) return tell(host);
  const auto layout = writing_root(host, request.system);
  std::optional<store::InstalledPrefix> chosen;
  if (!request.unset) chosen = installed_prefix(host, request.spec);

  const auto lock = lock_root(layout, host);
  const store::PrefixLink link(layout.default_link());
  // Also removes what a command left that was killed before its link was in place.
  store::refresh_minor_links(layout);
  DefaultResult result{layout.default_link(), link.target(), std::nullopt};
  if (!chosen) {
    link.remove(request.force);
    return result;
  }
  // Between the look and the lock somebody may have removed it.
  if (!sys::is_directory(chosen->path)) {
    throw Error(ErrorKind::missing, fmt::format("{} has just been removed", chosen->receipt.name))
        .help(install_advice(text::shell_quoted(request.spec)));
  }
  link.point_to(chosen->path, request.force);
  result.after = chosen->path;
  return result;
}

}  // namespace cudaenv::commands
