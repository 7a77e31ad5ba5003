#include "commands/local.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/choice.hpp"
#include "sys/file.hpp"

namespace cudaenv::commands {

namespace fs = std::filesystem;

LocalResult set_local(const std::string& typed, const Host& host) {
  const Spec spec = Spec::parse(typed);
  if (host.directory.empty()) {
    throw Error(ErrorKind::missing, "this folder has been deleted")
        .help("change to one that is there");
  }
  LocalResult result{host.directory / project_name};
  // A link stays one: what it leads to is written.
  if (sys::exists(result.file)) result.file = sys::canonical(result.file);
  const auto stat = sys::stat_target(result.file);
  if (stat && stat->kind != sys::Kind::regular) {
    throw Error(ErrorKind::system, fmt::format("cannot write `{}`", result.file.string()))
        .because("something that is no file has that name");
  }
  const auto before = stat ? sys::read_file(result.file, longest_project) : "";
  const auto after = catalog::with_cuda(before, result.file.string(), spec);
  const auto project = catalog::parse_project(after, result.file.string());
  result.installed = Toolkits(host).find(project.cuda, wanted_by(project)).has_value();
  result.changed = !stat || before != after;
  if (result.changed) {
    sys::write_atomically(result.file, after, stat ? stat->mode : 0644, false);
  }
  return result;
}

}  // namespace cudaenv::commands
